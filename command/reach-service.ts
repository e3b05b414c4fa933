import {
  createClient,
  followEvents,
  JobFailedError,
  readFile,
  TapedeckError,
  type OpenedFile,
} from '../clients/typescript/src/index.ts';

export interface ServiceOptions {
  readonly url: string;
  readonly key: string | undefined;
  /** Ends every request and every wait. */
  readonly signal: AbortSignal;
  /** Whether to send again what the service puts off. */
  readonly isPatient: boolean;
  /** Called when a request is put off, before the pause. */
  readonly onPutOff: (seconds: number) => void;
}

export interface AskOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** How long the service may hold the answer back until the job has ended. */
  readonly waitSeconds?: number;
}

export type Service = ReturnType<typeof createService>;

/** The service as any caller knows it. Paths are those that it offers, so requests are sent as they are. */
export function createService({ url, key, signal, isPatient, onPutOff }: ServiceOptions) {
  const client = createClient({ url, key, onPause: onPutOff, ...(isPatient ? {} : { retries: 0 }) });
  const usual = { signal, security: [{ scheme: 'bearer', type: 'http' } as const], responseStyle: 'data' as const };
  return {
    signal,

    /** @returns what was answered, also of a job that failed; throws TapedeckError */
    async ask<Body>(method: 'GET' | 'POST' | 'DELETE', path: string, options: AskOptions = {}): Promise<Body> {
      const { query = {}, body, waitSeconds = 0 } = options;
      const headers = { Prefer: `wait=${String(waitSeconds)}`, 'Content-Type': 'application/json' };
      try {
        const answer: unknown = await client.request<unknown, unknown, true, 'data'>({
          ...{ ...usual, method, url: path, query, headers, parseAs: 'json' },
          ...(body === undefined ? {} : { body }),
        });
        if (typeof answer === 'object' && answer !== null) return answer as Body;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof JobFailedError) return error.result as Body;
        throw error;
      }
      throw new TapedeckError(`${url} does not answer as Tapedeck does.`, { code: 'unexpected_answer' });
    },

    /** The text of a file that is made for whoever asks. @throws TapedeckError */
    text: (path: string): Promise<string> =>
      client.request<string, unknown, true, 'data'>({ ...usual, method: 'GET', url: path, parseAs: 'text' }),

    /** Opens a file of a download. @throws TapedeckError */
    open: (id: string, index: number): Promise<OpenedFile> => readFile(client, id, { index, signal }),

    /**
     * Follows a job to its end, through lost connections too.
     *
     * @param onChange told of each change
     * @returns what the endpoint of the job answers at its end
     * @throws TapedeckError
     */
    async follow<Body extends object>(id: string, onChange: (body: Body) => void): Promise<Body> {
      for await (const told of followEvents(client, id, { signal })) {
        onChange(told as object as Body);
        if (!isRunning(told)) return told as object as Body;
      }
      throw new TapedeckError('The service told no end of the job.', { code: 'unexpected_answer' });
    },
  };
}

/** Whether an answer or event says that the job has not ended. */
export function isRunning(body: object): boolean {
  const { status, data } = body as { readonly status?: string; readonly data?: { readonly status?: string } };
  return (status ?? data?.status) === 'pending';
}

import * as tapedeck from '../clients/typescript/src/index.ts';

interface ServiceOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly signal: AbortSignal;
  readonly isRetrying: boolean;
  /** Called when a request is put off, before the pause. */
  readonly onRetry: (seconds: number) => void;
}

interface SendOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** How long the service may delay the response until the job has ended. */
  readonly waitSeconds?: number;
}

export type Service = ReturnType<typeof createService>;

/** The service as a public caller sees it. The paths are those of the REST API. */
export function createService({ url, key, signal, isRetrying, onRetry }: ServiceOptions) {
  const client = tapedeck.createClient({ url, key, onPause: onRetry, ...(isRetrying ? {} : { retries: 0 }) });
  const usual = { signal, security: [{ scheme: 'bearer', type: 'http' } as const], responseStyle: 'data' as const };
  return {
    signal,

    /** @returns the response, also that of a failed job; throws TapedeckError */
    async send<Body>(method: 'GET' | 'POST' | 'DELETE', path: string, options: SendOptions = {}): Promise<Body> {
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
        if (error instanceof tapedeck.JobFailedError) return error.result as Body;
        throw error;
      }
      throw new tapedeck.TapedeckError(`${url} does not answer as Tapedeck does.`, { code: 'unexpected_answer' });
    },

    text: (path: string): Promise<string> =>
      client.request<string, unknown, true, 'data'>({ ...usual, method: 'GET', url: path, parseAs: 'text' }),

    open: (id: string, index: number): Promise<tapedeck.OpenedFile> => tapedeck.readFile(client, id, { index, signal }),

    /** Yields a batch at each change, with the items that have ended, also over lost connections. */
    followBatch: (id: string): AsyncGenerator<tapedeck.BatchEvent, void> =>
      tapedeck.followBatchEvents(client, id, { signal }),

    archive: (id: string): Promise<ReadableStream<Uint8Array>> =>
      client.request<ReadableStream<Uint8Array>, unknown, true, 'data'>({
        ...{ ...usual, method: 'GET', url: `/api/batches/${id}/archive.zip`, parseAs: 'stream' },
      }),

    /**
     * Follows a job to its end, also over lost connections.
     * @param onChange called after each change
     * @returns the result of the job, as its endpoint returns it
     */
    async follow<Body extends object>(id: string, onChange: (body: Body) => void): Promise<Body> {
      for await (const update of tapedeck.followEvents(client, id, { signal })) {
        onChange(update as object as Body);
        if (!isRunning(update)) return update as object as Body;
      }
      throw new tapedeck.TapedeckError('The event stream ended before the job.', { code: 'unexpected_answer' });
    },
  };
}

export function isRunning(body: object): boolean {
  const { status, data } = body as { readonly status?: string; readonly data?: { readonly status?: string } };
  return (status ?? data?.status) === 'pending';
}

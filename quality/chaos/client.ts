import { z } from 'zod';
import { recordStatusSchema } from '../../contract/download-record.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import type { CallersLedger } from './ledger.ts';

const job = z.object({ id: z.string(), status: recordStatusSchema });
/** The parts of answers and webhooks that describe jobs or errors. */
const bodySchema = z.object({
  data: job.optional().catch(undefined),
  download: job.optional().catch(undefined),
  downloads: z.object({ posts: job.optional(), reels: job.optional() }).optional().catch(undefined),
  download_id: z.string().optional(),
  status: z.string().optional(),
  list_id: z.string().optional(),
  id: z.string().optional(),
  code: z.string().optional(),
  error: z.string().optional(),
});
export type AnswerBody = z.infer<typeof bodySchema>;

export function readBody(text: string): AnswerBody | undefined {
  return bodySchema.safeParse(parseJson(text)).data;
}

/** Returns the jobs in an answer or a webhook of any kind. */
export function jobsIn(body: AnswerBody): readonly Readonly<z.infer<typeof job>>[] {
  const { data, download, downloads, download_id: id, status } = body;
  const named = [data, download, downloads?.posts, downloads?.reels].filter((one) => one !== undefined);
  if (named.length > 0 || id === undefined) return named;
  const parsed = recordStatusSchema.safeParse(status);
  return parsed.success ? [{ id, status: parsed.data }] : [];
}

const TIMEOUT_MS = 30_000;

export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
  /** The delay of the header `Retry-After`; undefined without it. */
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

export interface Content {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Client = ReturnType<typeof createClient>;

/** A REST client that counts the answers in the ledger. */
export function createClient(baseUrl: string, authorization: string, ledger: CallersLedger) {
  const send = async (method: string, path: string, { body, headers }: Content): Promise<Answer> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization, ...headers },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    const retryAfterMs = Number.isNaN(seconds) ? undefined : seconds * 1000;
    return { status: response.status, body: readBody(text) ?? {}, retryAfterMs, text };
  };
  return {
    /** @returns undefined without a complete answer */
    async request(method: 'GET' | 'POST', path: string, content: Content = {}): Promise<Answer | undefined> {
      const answer = await send(method, path, content).catch(() => undefined);
      if (answer === undefined) {
        ledger.unanswered += 1;
        return undefined;
      }
      const { status, body, text } = answer;
      ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
      const isDocumented = jobsIn(body).length > 0 || (body.error !== undefined && body.code !== undefined);
      if (status >= 500 && !isDocumented) {
        ledger.bareErrors.push(`${path}: ${text.slice(0, 300)}`);
      }
      return answer;
    },
  };
}

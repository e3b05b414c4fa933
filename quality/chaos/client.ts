import { z } from 'zod';
import { recordStatusSchema } from '../../contract/download-record.ts';
import { parseJson } from '../../runtime/parse-json.ts';
import type { CallersLedger } from './ledger.ts';

const job = z.object({ id: z.string(), status: recordStatusSchema });
/** Wherever an answer, or a webhook, tells of jobs; the rest of it is not looked at. */
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

/** The jobs that an answer or a webhook of any kind tells of. */
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
  /** What `Retry-After` asks for; undefined without it. */
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

export type Client = ReturnType<typeof createClient>;

/** REST as a caller uses it; counts what is answered. */
export function createClient(baseUrl: string, authorization: string, ledger: CallersLedger) {
  const send = async (method: string, path: string, body: unknown): Promise<Answer> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    const retryAfterMs = Number.isNaN(seconds) ? undefined : seconds * 1000;
    return { status: response.status, body: readBody(text) ?? {}, retryAfterMs, text };
  };
  return {
    /** @returns undefined when no whole answer came */
    async request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer | undefined> {
      const answer = await send(method, path, body).catch(() => undefined);
      if (answer === undefined) {
        ledger.unanswered += 1;
        return undefined;
      }
      const { status, body: content, text } = answer;
      ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
      const isDocumented = jobsIn(content).length > 0 || (content.error !== undefined && content.code !== undefined);
      if (status >= 500 && !isDocumented) {
        ledger.bareErrors.push(`${path}: ${text.slice(0, 300)}`);
      }
      return answer;
    },
  };
}

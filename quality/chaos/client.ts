import { jobsIn, readBody, type AnswerBody } from './answers.ts';
import type { CallersLedger } from './ledger.ts';

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

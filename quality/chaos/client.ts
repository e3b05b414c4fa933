import { readBody, type AnswerBody } from './answers.ts';
import type { CallersLedger } from './ledger.ts';

const TIMEOUT_MS = 30_000;

export interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
  /** What `Retry-After` asks for; undefined without it. */
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

export interface Client {
  /** @returns undefined when no whole answer came */
  request(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer | undefined>;
}

/** REST as a caller uses it; counts what is answered. */
export function createClient(baseUrl: string, authorization: string, ledger: CallersLedger): Client {
  return {
    async request(method, path, body) {
      const found = await send({ url: baseUrl + path, method, authorization, body });
      if (found === undefined) {
        ledger.unanswered += 1;
        return undefined;
      }
      const { status, text } = found;
      ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1);
      const parsed = readBody(text);
      if (status >= 500) {
        const hasErrorBody = parsed?.error !== undefined && parsed.code !== undefined;
        ledger.serverErrors.push({ path, status, text: text.slice(0, 300), hasErrorBody });
      }
      return { ...found, body: parsed ?? {} };
    },
  };
}

async function send(what: {
  url: string;
  method: string;
  authorization: string;
  body: unknown;
}): Promise<Omit<Answer, 'body'> | undefined> {
  try {
    const response = await fetch(what.url, {
      method: what.method,
      headers: { authorization: what.authorization },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(what.body === undefined ? {} : { body: JSON.stringify(what.body) }),
    });
    const text = await response.text();
    const seconds = Number(response.headers.get('retry-after') ?? NaN);
    return { status: response.status, text, retryAfterMs: Number.isNaN(seconds) ? undefined : seconds * 1000 };
  } catch {
    return undefined;
  }
}

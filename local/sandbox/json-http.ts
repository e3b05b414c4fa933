import type { IncomingMessage, ServerResponse } from 'node:http';

const REQUEST_BODY_MAX_BYTES = 65_536;

export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
}

export interface JsonAnswer {
  readonly status: number;
  readonly body: object;
}

export function answer(status: number, body: object): JsonAnswer {
  return { status, body };
}

export function refusal(status: number, error: string): JsonAnswer {
  return answer(status, { error });
}

export function sendJson(res: ServerResponse, { status, body }: JsonAnswer): void {
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
  res.end(`${JSON.stringify(body, undefined, 2)}\n`);
}

/** @returns undefined for anything that is no JSON of a reasonable size */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read on, so that the answer is not lost in a reset connection; keep nothing of it.
    if (size <= REQUEST_BODY_MAX_BYTES) chunks.push(chunk);
  }
  if (size > REQUEST_BODY_MAX_BYTES) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

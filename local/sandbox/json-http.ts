import type { IncomingMessage, ServerResponse } from 'node:http';

const REQUEST_BODY_MAX_BYTES = 65_536;

export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly url: URL;
}

export interface Answer {
  readonly status: number;
  readonly body: string | object;
}

export class Refusal extends Error implements Answer {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly body: string | object;

  constructor(status: number, body: string | object) {
    super(typeof body === 'string' ? body : JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

export function refusal(status: number, error: string): Refusal {
  return new Refusal(status, { error });
}

export function send(res: ServerResponse, { status, body }: Answer, indent = 0): void {
  const isText = typeof body === 'string';
  res.writeHead(status, { 'Content-Type': `${isText ? 'text/plain' : 'application/json'}; charset=utf-8` });
  res.end(isText ? body : `${JSON.stringify(body, undefined, indent)}\n`);
}

export function sendRefusal(res: ServerResponse, error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
  send(res, error);
}

/** @returns undefined for anything but JSON of at most 64 KiB */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest of the body is read, so that the answer is not lost when the connection is reset.
    if (size <= REQUEST_BODY_MAX_BYTES) chunks.push(chunk);
  }
  if (size > REQUEST_BODY_MAX_BYTES) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

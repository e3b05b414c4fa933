import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { PayloadCodec } from '@temporalio/common';
import { z } from 'zod';
import { answerJson, type Page } from '../../runtime/telemetry/serve-pages.ts';

/** More than the Web UI sends for a page of a history, which the server limits to 4 MB. */
const MAX_BODY_BYTES = 6 * 1024 ** 2;
const MAX_PAYLOADS = 5_000;
/** The number of {@link MARKS} in a payload with three metadata fields. */
const MARKS_PER_PAYLOAD = 8;
/** Base64 has none of these, so they bound how many values a body holds before it is parsed. */
const MARKS = [',', '{', '['] as const;

export interface CodecEndpointOptions {
  readonly codec: PayloadCodec;
  /** The origin of Temporal's Web UI. Pages of other origins are refused; programs send no origin. */
  readonly uiUrl: string | undefined;
  /** The required bearer token; absent: every caller that reaches the port is accepted. */
  readonly token: string | undefined;
}

const payloadsSchema = z.object({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), z.base64()).default({}), data: z.base64().default('') }))
    .max(MAX_PAYLOADS),
});

/**
 * A codec server in Temporal's terms, by which the Web UI and the command line show encrypted payloads.
 *
 * @returns pages by their paths, `/decode` and `/encode`, for POST and OPTIONS
 */
export function codecPages(options: CodecEndpointOptions): Readonly<Record<string, Page>> {
  const { codec } = options;
  return {
    '/decode': pageOf(options, (payloads) => codec.decode(payloads)),
    '/encode': pageOf(options, (payloads) => codec.encode(payloads)),
  };
}

function pageOf({ uiUrl, token }: CodecEndpointOptions, translate: PayloadCodec['decode']): Page {
  const allowed = uiUrl === undefined ? undefined : new URL(uiUrl).origin;
  return async (request, response) => {
    const { origin } = request.headers;
    if (origin !== undefined && origin !== allowed) {
      answerJson(response, 403, { error: "Only Temporal's Web UI (TEMPORAL_UI_URL) may ask from a browser." });
      return;
    }
    if (origin !== undefined) allowPage(response, origin);
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    if (token !== undefined && !isKnown(request, token)) {
      response.setHeader('WWW-Authenticate', 'Basic realm="Payloads of jobs"');
      answerJson(response, 401, { error: 'CODEC_TOKEN is needed, as a password or a bearer token.' });
      return;
    }
    await answerWith(translate, request, response);
  };
}

async function answerWith(
  translate: PayloadCodec['decode'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    if (!(Number(request.headers['content-length']) <= MAX_BODY_BYTES))
      throw new Error('the body is too large, or does not tell its length');
    const body = await buffer(request);
    if (holdsMore(body, MAX_PAYLOADS * MARKS_PER_PAYLOAD)) {
      throw new Error(`the body holds too many values; ${String(MAX_PAYLOADS)} payloads are allowed`);
    }
    const { payloads } = payloadsSchema.parse(JSON.parse(body.toString('utf8')));
    const translated = await translate(
      payloads.map(({ metadata, data }) => ({
        metadata: Object.fromEntries(
          Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')]),
        ),
        data: Buffer.from(data, 'base64'),
      })),
    );
    const told = translated.map(({ metadata, data }) => ({
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64Of(bytes)])),
      data: base64Of(data),
    }));
    answerJson(response, 200, { payloads: told });
  } catch (error) {
    answerJson(response, 400, { error: error instanceof Error ? error.message : String(error) });
  }
}

/** Whether a body contains more marks than the limit. The search is native and stops early. */
function holdsMore(body: Buffer, most: number): boolean {
  let count = 0;
  for (const mark of MARKS) {
    for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + 1)) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

function allowPage(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', 'authorization, content-type, x-namespace');
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Vary', 'Origin');
}

function isKnown({ headers }: IncomingMessage, token: string): boolean {
  const [scheme = '', value = ''] = (headers.authorization ?? '').split(' ');
  const basic = (): string =>
    Buffer.from(value, 'base64')
      .toString()
      .replace(/^[^:]*:/, '');
  const given = scheme.toLowerCase() === 'basic' ? basic() : value;
  return timingSafeEqual(digestOf(given), digestOf(token));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function base64Of(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64');
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { z } from 'zod';
import { answerJson, type Page } from '../../runtime/telemetry/serve-pages.ts';
import { isSameSecret } from '../access/authenticate.ts';

/** More than the Web UI sends for a page of a history, which the server limits to 4 MB. */
const MAX_BODY_BYTES = 6 * 1024 ** 2;
const MAX_PAYLOADS = 5_000;
/** The number of separators of a payload with three metadata fields. */
const SEPARATORS_PER_PAYLOAD = 8;
/** Base64 contains none of these, so their number limits the values in a body before it is parsed. */
const SEPARATORS = [',', '{', '['] as const;

interface CodecEndpointOptions {
  readonly codec: PayloadCodec;
  /** The origin of Temporal's Web UI. Pages of other origins are refused; programs send no origin. */
  readonly uiUrl: string | undefined;
  /** The required bearer token; absent: every caller that reaches the port is accepted. */
  readonly token: string | undefined;
}

const payloadsSchema = z.object({ payloads: z.array(z.object().loose()).max(MAX_PAYLOADS) });
const { Payloads } = proto.temporal.api.common.v1;

/** A Codec Server, with which Temporal's Web UI and command line show encrypted payloads: pages for POST and OPTIONS. */
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
      answerJson(response, 403, { error: "Pages other than Temporal's Web UI (TEMPORAL_UI_URL) are refused." });
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
      throw new Error('the body is too large or has no Content-Length');
    const body = await buffer(request);
    if (hasMoreSeparators(body, MAX_PAYLOADS * SEPARATORS_PER_PAYLOAD)) {
      throw new Error(`the body contains too many values; at most ${String(MAX_PAYLOADS)} payloads are allowed`);
    }
    const { payloads } = payloadsSchema.parse(JSON.parse(body.toString('utf8')));
    // These convert the bytes from Base64 and to it.
    const translated = await translate(Payloads.fromObject({ payloads }).payloads);
    answerJson(response, 200, Payloads.toObject(Payloads.create({ payloads: translated }), { bytes: String }));
  } catch (error) {
    answerJson(response, 400, { error: error instanceof Error ? error.message : String(error) });
  }
}

function hasMoreSeparators(body: Buffer, most: number): boolean {
  let count = 0;
  for (const separator of SEPARATORS) {
    for (let at = body.indexOf(separator); at >= 0; at = body.indexOf(separator, at + 1)) {
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
  if (scheme.toLowerCase() !== 'basic') return isSameSecret(value, token);
  const credentials = Buffer.from(value, 'base64').toString();
  return isSameSecret(credentials.replace(/^[^:]*:/, ''), token);
}

import { assertBodySize, HTTPError, type H3Event } from 'h3';
import type { z } from 'zod';
import { ApiError } from '../../contract/http/api-error.ts';
import { PREFER_WAIT_MAX_SECONDS, REQUEST_BODY_MAX_BYTES } from '../../contract/request-limits.ts';
import { checked } from './to-api-error.ts';
import { fieldNameOf, waitSecondsOf, type Operation } from '../operations/operation.ts';

/** Reads and validates the input of an operation: the fields of its schema, the wait time and the last event ID. */
export async function readInput(
  event: H3Event,
  operation: Operation,
  defaultWaitSeconds: number,
): Promise<{ readonly waitMs: number; readonly lastEventId: string | undefined }> {
  const waitMs = preferredWaitMs(event) ?? waitSecondsOf(operation, defaultWaitSeconds) * 1000;
  const lastEventId = event.req.headers.get('last-event-id') ?? undefined;
  return { ...(await readFields(event, operation)), waitMs, lastEventId };
}

async function readFields(event: H3Event, operation: Operation): Promise<object> {
  const { body, query, params, unknown } = operation;
  return {
    ...(params && readParams(event, params, unknown)),
    // The last of several parameters with the same name counts.
    ...(query && checked(query, Object.fromEntries(event.url.searchParams))),
    ...(body && checked(body, await readJsonBody(event, operation))),
  };
}

function readParams(event: H3Event, params: z.ZodObject, unknown: Operation['unknown'] = {}): object {
  const parsed = params.safeParse(event.context.params);
  if (parsed.success) {
    return Object.fromEntries(Object.entries(parsed.data).map(([name, value]) => [fieldNameOf(name), value]));
  }
  // A malformed ID is answered like an unknown one, with 404.
  const wrong = parsed.error.issues.map(({ path }) => path[0]);
  const [, message] = Object.entries(unknown).find(([name]) => wrong.includes(name)) ?? [];
  throw new ApiError('not_found', message ?? 'There is nothing at this path.');
}

/** @throws ApiError for a body with a `Content-Encoding` other than `identity` */
export function refuseEncoding(encoding: string | null | undefined): void {
  if (/^[\s,]*(?:identity[\s,]*)*$/i.test(encoding ?? '')) return;
  const message = `Content-Encoding: ${String(encoding)} is not supported. Send the body without it.`;
  throw new ApiError('encoding_not_supported', message, { headers: { 'Accept-Encoding': 'identity' } });
}

/** Any content type is accepted, as long as the body is a JSON object. */
export async function readJsonBody(
  event: H3Event,
  { maxBodyBytes, isBodyOptional }: Pick<Operation, 'maxBodyBytes' | 'isBodyOptional'>,
): Promise<object> {
  const maxBytes = maxBodyBytes ?? REQUEST_BODY_MAX_BYTES;
  const receive = async (): Promise<string> => {
    assertBodySize(event, maxBytes);
    return event.req.text();
  };
  const text = await receive().catch((error: unknown) => {
    if (error instanceof HTTPError && error.status === 413) throw tooLarge(maxBytes);
    if (error instanceof HTTPError) throw error;
    throw new ApiError('invalid_input', 'The body did not arrive to its end.', { cause: error });
  });
  refuseEncoding(event.req.headers.get('content-encoding'));
  if (text === '' && isBodyOptional === true) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ApiError('invalid_json', 'The body is not valid JSON.', { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_json', 'The body must be a JSON object.');
  }
  return value;
}

/** The connection cannot be reused, because the rest of the body would be read as the next request. */
function tooLarge(maxBytes: number): ApiError {
  const message = `The body is larger than ${String(maxBytes / 1024)} KiB.`;
  return new ApiError('body_too_large', message, { headers: { Connection: 'close' } });
}

/** @returns the wait time of `Prefer: wait=N` (RFC 7240) in milliseconds, at most 60 s; undefined without it */
export function preferredWaitMs(event: H3Event): number | undefined {
  const preferences = event.req.headers.get('prefer')?.split(/[,;]/) ?? [];
  for (const preference of preferences) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*$/i.exec(preference)?.[1];
    if (seconds !== undefined) return Math.min(Number(seconds), PREFER_WAIT_MAX_SECONDS) * 1000;
  }
  return undefined;
}

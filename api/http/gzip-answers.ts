import { jsonParts } from '../../contract/http/streams.ts';
import { gzipPartOf, gzipStream, partIn, type GzipPart } from '../../runtime/gzip-parts.ts';
import { yieldingChunks } from './yielding-chunks.ts';

/** Whether a client accepts gzip, and does not prefer other text (RFC 9110, section 12.5.3). */
export function acceptsGzip(header: string | null): boolean {
  const weights = new Map(
    (header ?? '').split(',').map((coding) => {
      const [name = '', ...parameters] = coding.toLowerCase().split(';');
      const weight = parameters
        .map((one) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(one)?.[1])
        .find((one) => one !== undefined);
      return [name.trim(), Number(weight ?? 1)] as const;
    }),
  );
  const weight = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  return weight > 0 && weight >= (weights.get('identity') ?? 0);
}

/** @returns the JSON of a body as gzip, with the pieces of lists as they are stored */
export function gzippedJson(body: unknown): AsyncGenerator<Uint8Array> {
  return gzipStream(partsOf(body));
}

async function* partsOf(body: unknown): AsyncGenerator<GzipPart> {
  for await (const part of yieldingChunks(jsonParts(body))) {
    yield typeof part === 'string' ? await gzipPartOf(part) : partIn(part.gzip);
  }
}

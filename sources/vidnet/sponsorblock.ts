import { createHash } from 'node:crypto';
import { z } from 'zod';
import { answerTo, beginningOf, connectionsWith } from '../../outbound/read-response.ts';
import { parseJson } from '../../runtime/parse-json.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 ** 2;
/** The API gets only the beginning of a video's hash, so that it does not learn which video is fetched. */
const PREFIX_CHARS = 4;

const timeSchema = z.number().nonnegative();
const segmentSchema = z.object({ category: z.string(), segment: z.tuple([timeSchema, timeSchema]) });
const answerSchema = z.array(z.object({ videoID: z.string(), segments: z.array(segmentSchema) }));

export type SponsorBlock = ReturnType<typeof createSponsorBlock>;
export type ReportedSegment = Awaited<ReturnType<SponsorBlock['segments']>>[number];

/** Client of the API of SponsorBlock (`GET /api/skipSegments/:prefix`). */
export function createSponsorBlock({ rootUrl }: { readonly rootUrl: string }) {
  const dispatcher = connectionsWith({ connectTimeoutMs: TIMEOUT_MS, idleTimeoutMs: TIMEOUT_MS });
  return {
    /** @returns times in seconds @throws an error of any kind if the API gives no answer that can be read */
    async segments(videoId: string, categories: readonly string[], signal: AbortSignal) {
      const prefix = createHash('sha256').update(videoId).digest('hex').slice(0, PREFIX_CHARS);
      const url = new URL(`${rootUrl.replace(/\/$/, '')}/api/skipSegments/${prefix}`);
      url.searchParams.set('categories', JSON.stringify(categories));
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const { statusCode, body } = await answerTo(url, { dispatcher, signal: limit });
      const { bytes } = await beginningOf(body, MAX_BYTES);
      if (statusCode === 404) return [];
      if (statusCode !== 200) throw new Error(`${url.origin} answered ${String(statusCode)}`);
      return answerSchema
        .parse(parseJson(bytes.toString('utf8')))
        .filter(({ videoID }) => videoID === videoId)
        .flatMap(({ segments }) => segments)
        .map(({ category, segment: [start, end] }) => ({ category, start, end }))
        .filter(({ category, start, end }) => categories.includes(category) && end > start);
    },
  };
}

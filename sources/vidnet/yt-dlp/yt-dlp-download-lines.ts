import { z } from 'zod';
import type { ActivityProgress } from '../../../contract/job-input.ts';
import { optional } from '../../../runtime/optional.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import { percentOf } from '../../../runtime/percent.ts';
import { textSchema } from '../fact-schemas.ts';
import { METADATA_PREFIX, NEUTRAL_EXTENSION } from './yt-dlp-arguments.ts';

const metadataSchema = z.object({
  title: textSchema,
  duration: z.number().positive().nullish(),
  live_status: z.string().nullish(),
  release_timestamp: z.number().nullish().catch(undefined),
  n_entries: z.number().nullish(),
});
export type Metadata = z.infer<typeof metadataSchema>;

export const formatsSchema = z
  .object({
    size: z.number().nullable().catch(null),
    parts: z.array(z.string()).catch([]),
    sizes: z.array(z.number()).catch([]),
    ext: z
      .string()
      .regex(/^[\w-]{1,16}$/)
      .catch(NEUTRAL_EXTENSION),
    protocol: z.string().catch(''),
    url: z.string().optional().catch(undefined),
  })
  .transform(({ size, parts, sizes, ext, protocol, url }) => ({
    ext: ext.toLowerCase().replace(/^x-/, ''),
    files: Math.max(1, parts.length),
    /** The sum of the sizes that the platform states. */
    sizeBytes: size ?? sizes.reduce((sum, part) => sum + part, 0),
    isSizeOfAll: size !== null || (parts.length > 0 && sizes.length === parts.length),
    hlsUrl: protocol.startsWith('m3u8') ? url : undefined,
    // yt-dlp ends with an error when a fragment is missing.
    isFragmented: protocol.split('+').every((part) => /^m3u8|^http_dash/.test(part)),
  }));
export type Stated = z.infer<typeof formatsSchema>;
export const NOTHING_STATED = formatsSchema.parse({});

export const progressLineSchema = z.object({
  status: z.string().nullish(),
  filename: z.string().nullish(),
  downloaded_bytes: z.number().nullish(),
  total_bytes: z.number().nullish(),
  total_bytes_estimate: z.number().nullish(),
});

export function metadataOf(line: string): Metadata | undefined {
  if (!line.startsWith(METADATA_PREFIX)) return undefined;
  return metadataSchema.catch({}).parse(parseJson(line.slice(METADATA_PREFIX.length)));
}

export function progressOf(line: z.infer<typeof progressLineSchema>): ActivityProgress {
  const bytes = line.downloaded_bytes ?? undefined;
  const totalBytes = line.total_bytes ?? line.total_bytes_estimate ?? undefined;
  const isShareKnown = bytes !== undefined && totalBytes !== undefined && totalBytes > 0;
  return {
    stage: 'fetching',
    ...optional('bytes', bytes && Math.round(bytes)),
    ...optional('totalBytes', totalBytes && Math.round(totalBytes)),
    ...(isShareKnown && { percent: percentOf(bytes / totalBytes) }),
  };
}

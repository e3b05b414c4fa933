import { z } from 'zod';

export function known<Parsed>(schema: z.ZodType<Parsed>): z.ZodCatch<z.ZodOptional<z.ZodType<Parsed>>> {
  return schema.optional().catch(undefined);
}

export const textSchema = z.string().min(1);

/** The API sends counts as strings, because they have 64 bits. */
export const countSchema = z.union([z.string().regex(/^\d{1,15}$/), z.number().int().nonnegative()]).transform(Number);

/** Converts RFC 3339 in UTC to `YYYY-MM-DD HH:MM:SS`. */
export const timeSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/)
  .transform((text) => `${text.slice(0, 10)} ${text.slice(11, 19)}`);

const DURATION = /^P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/** Converts durations such as `PT4M13S` and `P1DT2H` to seconds. Broadcasts that have not ended have `PT0S` or `P0D`. */
export const durationSchema = z
  .string()
  .regex(DURATION)
  .transform((text) => {
    const amounts =
      DURATION.exec(text)
        ?.slice(1)
        .map((amount: string | undefined) => Number(amount ?? 0)) ?? [];
    const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = amounts;
    return (weeks * 7 + days) * 86_400 + hours * 3600 + minutes * 60 + seconds;
  });

const thumbnailSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  width: known(z.number().nonnegative()),
  height: known(z.number().nonnegative()),
});

/** In ascending size, for images without width and height. */
const THUMBNAIL_NAMES = ['default', 'medium', 'high', 'standard', 'maxres'];

export const largestThumbnailSchema = z.record(z.string(), known(thumbnailSchema)).transform((byName, context) => {
  const [largest] = Object.entries(byName)
    .flatMap(([name, image]) => (image === undefined ? [] : [{ name, ...image }]))
    .map(({ width = 0, height = 0, ...image }) => ({ ...image, area: width * height }))
    .sort((a, b) => b.area - a.area || THUMBNAIL_NAMES.indexOf(b.name) - THUMBNAIL_NAMES.indexOf(a.name));
  if (largest === undefined) {
    context.addIssue({ code: 'custom', message: 'no thumbnail' });
    return z.NEVER;
  }
  return largest.url;
});

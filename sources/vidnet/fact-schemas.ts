import { z } from 'zod';

export const countSchema = z.number().int().nonnegative().optional().catch(undefined);

export const numberSchema = z.number().optional().catch(undefined);

/** A number that is not negative, such as seconds. */
export const amountSchema = z.number().nonnegative().optional().catch(undefined);

export const flagSchema = z.boolean().optional().catch(undefined);

export const textSchema = z.string().min(1).optional().catch(undefined);

/** Titles and names, in one line. */
export const lineSchema = z.string().transform(oneLine).pipe(z.string().min(1)).optional().catch(undefined);

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export const linkSchema = z
  .url({ protocol: /^https?$/ })
  .max(2_048)
  .optional()
  .catch(undefined);

/** A list without the entries that cannot be read. */
export const entriesSchema = <Entry extends z.ZodType>(entry: Entry) =>
  z
    .array(entry.optional().catch(undefined))
    .transform((all) => all.filter((one): one is NonNullable<typeof one> => one !== undefined))
    .catch([]);

const secondsSchema = z.number().nonnegative();
export const chaptersSchema = entriesSchema(
  z.object({ title: lineSchema, start_time: secondsSchema, end_time: secondsSchema.nullish() }),
);

/** @returns `YYYY-MM-DD HH:MM:SS` in UTC */
export function formatTimestamp(epochSeconds: number | undefined): string | undefined {
  if (epochSeconds === undefined || Math.abs(epochSeconds) > 8.64e12) return undefined;
  return new Date(epochSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Far above the platform's limits (100 and 5,000). */
export const TITLE_MAX_CHARS = 1_000;
export const DESCRIPTION_MAX_CHARS = 20_000;

/** Cuts a text, but not within a surrogate pair. */
export function bounded(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
}

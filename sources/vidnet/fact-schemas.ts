import { z } from 'zod';

/** A whole number, not negative; anything else becomes undefined. */
export const countSchema = z.number().int().nonnegative().optional().catch(undefined);

/** A text that is not empty; anything else becomes undefined. */
export const textSchema = z.string().min(1).optional().catch(undefined);

/** An http(s) URL; anything else becomes undefined. */
export const linkSchema = z
  .url({ protocol: /^https?$/ })
  .max(2_048)
  .optional()
  .catch(undefined);

/** @returns `YYYY-MM-DD HH:MM:SS` in UTC */
export function formatTimestamp(epochSeconds: number | undefined): string | undefined {
  if (epochSeconds === undefined || Math.abs(epochSeconds) > 8.64e12) return undefined;
  return new Date(epochSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** Well above what the platform allows (100 and 5,000): only another platform's texts are ever cut. */
export const TITLE_MAX_CHARS = 1_000;
export const DESCRIPTION_MAX_CHARS = 20_000;

/** The beginning of a text that has no bound of its own. A character of two halves is not cut apart. */
export function bounded(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
}

import { z } from 'zod';
import { countSchema } from '../../../contract/http/fields.ts';
import { urlSchema, wordSchema } from '../../../contract/kinds/imgnet-media.ts';
import type { Sparse } from '../../../contract/kinds/sparse.ts';

/** A record of the provider, whose fields may be missing, null, or of another type than last week. Readers never guess. */
export type ImgnetRecord = Readonly<Record<string, unknown>>;

const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const GROUPED = /^\d{1,3}(?:,\d{3})+$/;
const DATE_ONLY = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?/;
const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i;

export function recordOf(value: unknown): ImgnetRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ImgnetRecord) : undefined;
}

/** Further entries are ignored, because a megabyte of slides took half a second. */
const ENTRIES_MAX = 2_000;

/** An array, or a single value as an array of one; undefined for nothing. */
export function arrayOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return (value as readonly unknown[]).slice(0, ENTRIES_MAX);
  return value === undefined || value === null || value === '' ? undefined : [value];
}

/** The entries that could be read; undefined when there was no array. */
export function listOf<Item>(value: unknown, read: (entry: unknown) => Item | undefined): Item[] | undefined {
  return arrayOf(value)
    ?.map(read)
    .filter((item) => item !== undefined);
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  // Larger numbers have lost digits in JSON.
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

export function wordOf(value: unknown): string | undefined {
  const text = textOf(value)?.replace(/\s+/g, ' ').trim();
  return text === '' ? undefined : text;
}

export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const digits = GROUPED.test(text) ? text.replaceAll(',', '') : text;
  return DECIMAL.test(digits) ? numberOf(Number(digits)) : undefined;
}

/** A count. The platform sends -1 for hidden counts. */
export function countOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

export function secondsOf(value: unknown): number | undefined {
  const number = numberOf(value);
  return number === undefined ? undefined : countOf(Math.round(number));
}

export function booleanOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  return value === 'false' ? false : undefined;
}

/** An http(s) URL, unchanged because a signature may cover every letter. */
export function urlOf(value: unknown): string | undefined {
  const text = wordOf(value);
  if (text === undefined || !URL.canParse(text)) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

/** ISO 8601 in UTC. A time without a zone is in UTC. */
export function timeOf(value: unknown): string | undefined {
  const text = wordOf(value);
  if (text === undefined || !DATE_TIME.test(text)) return undefined;
  const date = new Date(ZONE.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Does the same as {@link timeOf}, but a day remains a day. */
export function timeOrDayOf(value: unknown): string | undefined {
  const text = wordOf(value);
  if (text === undefined || !DATE_ONLY.test(text)) return timeOf(value);
  return Number.isNaN(new Date(text).getTime()) ? undefined : text;
}

export function first<Value>(
  values: readonly unknown[],
  read: (value: unknown) => Value | undefined,
): Value | undefined {
  for (const value of values) {
    const found = read(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Removes undefined fields, which a store would keep as null. */
export function known<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

const READERS = new Map<unknown, (value: unknown) => unknown>([
  [wordSchema, wordOf],
  [countSchema, countOf],
  [urlSchema, urlOf],
]);

function readerOf(schema: unknown): ((value: unknown) => unknown) | undefined {
  if (schema instanceof z.ZodNullable) return readerOf(schema.unwrap());
  if (schema instanceof z.ZodArray) {
    return schema.unwrap() instanceof z.ZodString ? (value) => listOf(value, wordOf) : undefined;
  }
  if (schema instanceof z.ZodBoolean) return booleanOf;
  const reader = READERS.get(schema);
  if (reader !== undefined) return reader;
  if (schema instanceof z.ZodString) return textOf;
  return schema instanceof z.ZodNumber ? numberOf : undefined;
}

/** Reads the fields with the same name in a record and in the answer, by their schemas. Others are undefined. */
export function namesakes<Shape extends z.ZodRawShape>(
  shape: Shape,
  record: ImgnetRecord,
): Partial<Sparse<z.infer<z.ZodObject<Shape>>>> {
  const fields = Object.entries(shape).map(([name, schema]) => [name, readerOf(schema)?.(record[name])]);
  return Object.fromEntries(fields) as Partial<Sparse<z.infer<z.ZodObject<Shape>>>>;
}

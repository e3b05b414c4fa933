import { z } from 'zod';
import { countSchema, optionalField } from '../http/fields.ts';
import { entryKinds, type ListEntry } from './list-entry.ts';

const titlePart = z.string().trim().min(1).max(200);
const secondsSchema = countSchema.max(1_000_000);

export const entryFilterSchema = z
  .object({
    title_contains: optionalField(titlePart).describe('Upper and lower case are the same'),
    title_omits: optionalField(titlePart).describe('Entries whose title contains this are left out'),
    min_seconds: optionalField(secondsSchema),
    max_seconds: optionalField(secondsSchema),
    after: optionalField(z.iso.date()).describe('Published on this day or later, in UTC'),
    before: optionalField(z.iso.date()).describe('Published before this day'),
    kinds: optionalField(z.array(z.enum(entryKinds)).min(1).max(entryKinds.length)).describe(
      'Only these: `post` and `reel` of a profile, the others of other lists; `stream`: a broadcast or its recording',
    ),
  })
  .refine(({ min_seconds: min = 0, max_seconds: max = Infinity }) => min <= max, {
    path: ['max_seconds'],
    error: 'must not be less than min_seconds',
  })
  .refine(({ after, before }) => after === undefined || before === undefined || after < before, {
    path: ['before'],
    error: 'must be later than after',
  })
  .meta({
    id: 'EntryFilter',
    description:
      'Which entries are fetched. An entry whose list shows no length or date passes the conditions on it. Dates of lists may be off by days for old entries, because platforms show ages such as "3 weeks ago"',
  });
export type EntryFilter = z.infer<typeof entryFilterSchema>;

/** Whether a filter lets an entry through. What the list does not show is no reason to leave an entry out. */
export function passes(filter: EntryFilter, { title, kind, seconds, publishedAtMs }: ListEntry): boolean {
  const name = folded(title);
  const { title_contains: part, title_omits: omitted, kinds, min_seconds: min = 0, max_seconds: max } = filter;
  if (part !== undefined && !name.includes(folded(part))) return false;
  if (omitted !== undefined && name.includes(folded(omitted))) return false;
  if (kinds !== undefined && !kinds.includes(kind)) return false;
  if (seconds !== undefined && (seconds < min || seconds > (max ?? Infinity))) return false;
  if (publishedAtMs === undefined) return true;
  return publishedAtMs >= dayMs(filter.after, -Infinity) && publishedAtMs < dayMs(filter.before, Infinity);
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function dayMs(day: string | undefined, fallback: number): number {
  return day === undefined ? fallback : Date.parse(day);
}

import { z } from 'zod';
import { optionalField } from './http/fields.ts';
import { SPEAKERS_MAX } from './request-limits.ts';
import { languageSchema } from './text/language-tags.ts';

const COUNT_MESSAGE = `must be an integer from 1 to ${String(SPEAKERS_MAX)}`;
const countSchema = optionalField(
  z.int({ error: COUNT_MESSAGE }).min(1, COUNT_MESSAGE).max(SPEAKERS_MAX, COUNT_MESSAGE),
);

/** The refinements below as JSON Schema, which cannot compare two fields: there must be a number between them. */
const EXACT_OR_RANGE = [
  { properties: { min: { type: 'null' as const }, max: { type: 'null' as const } } },
  ...Array.from({ length: SPEAKERS_MAX }, (_, index) => ({
    properties: { exact: { type: 'null' as const }, min: { maximum: index + 1 }, max: { minimum: index + 1 } },
  })),
];

const speakersSchema = z
  .object({
    exact: countSchema.describe('Excludes `min` and `max`'),
    min: countSchema.describe('The least number'),
    max: countSchema.describe('The greatest number'),
  })
  .refine(({ exact, min, max }) => exact === undefined || (min === undefined && max === undefined), {
    path: ['exact'],
    error: 'excludes min and max',
  })
  .refine(({ min = 1, max = SPEAKERS_MAX }) => min <= max, { path: ['min'], error: 'must not be more than max' })
  .meta({ id: 'Speakers', description: 'The number of speakers to tell apart', anyOf: EXACT_OR_RANGE });

/** The fields with which every request that transcribes states facts about the speech. */
export const speechHintsShape = {
  language: optionalField(languageSchema).describe('The spoken language'),
  speakers: optionalField(speakersSchema),
};
export type SpeechHints = z.infer<z.ZodObject<typeof speechHintsShape>>;

/** The hints as parameters of a job. An exact number is both limits. */
export const speechParametersShape = {
  /** The spoken language in canonical BCP 47. */
  language: languageSchema.optional(),
  minSpeakers: z.int().min(1).max(SPEAKERS_MAX).optional(),
  maxSpeakers: z.int().min(1).max(SPEAKERS_MAX).optional(),
};
export type SpeechParameters = Readonly<z.infer<z.ZodObject<typeof speechParametersShape>>>;

export function speechParametersOf({ language, speakers }: SpeechHints): SpeechParameters {
  const { exact, min = exact, max = exact } = speakers ?? {};
  return { language, minSpeakers: min, maxSpeakers: max };
}

/** @returns the hints of a job as fields of a request or an answer; undefined without any */
export function hintsOf({ language, minSpeakers: min, maxSpeakers: max }: SpeechParameters) {
  if (min === undefined && max === undefined) return language === undefined ? undefined : { language };
  return { language, speakers: min === max ? { exact: min } : { min, max } };
}

/** The hints that a job used, as its answer shows them. */
export const usedHintsSchema = z
  .object({
    language: z.string().optional(),
    speakers: z
      .object({ exact: z.int().optional(), min: z.int().optional(), max: z.int().optional() })
      .optional()
      .describe('Equal limits are an exact number'),
  })
  .meta({ id: 'UsedHints' });

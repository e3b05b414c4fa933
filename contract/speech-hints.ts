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
  language: languageSchema.exactOptional(),
  minSpeakers: z.int().min(1).max(SPEAKERS_MAX).exactOptional(),
  maxSpeakers: z.int().min(1).max(SPEAKERS_MAX).exactOptional(),
};
export type SpeechParameters = Readonly<z.infer<z.ZodObject<typeof speechParametersShape>>>;

export function speechParametersOf({ language, speakers }: SpeechHints): SpeechParameters {
  const minSpeakers = speakers?.exact ?? speakers?.min;
  const maxSpeakers = speakers?.exact ?? speakers?.max;
  return {
    ...(language === undefined ? {} : { language }),
    ...(minSpeakers === undefined ? {} : { minSpeakers }),
    ...(maxSpeakers === undefined ? {} : { maxSpeakers }),
  };
}

/** The hints of a job as fields of a request or an answer. */
export function hintsOf({ language, minSpeakers: min, maxSpeakers: max }: SpeechParameters) {
  const range = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  const speakers = min !== undefined && min === max ? { exact: min } : range;
  return {
    ...(language === undefined ? {} : { language }),
    ...(Object.keys(speakers).length === 0 ? {} : { speakers }),
  };
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

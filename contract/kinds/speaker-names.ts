import { z } from 'zod';
import type { ContentsReader } from './contents.ts';

/** Not blank, and well-formed text without line breaks and other control characters. */
const NAME_PATTERN = '^(?=.*\\S)[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029\\uD800-\\uDFFF]{1,100}$';
const nameRegExp = new RegExp(NAME_PATTERN, 'u');
const nameSchema = z
  .string()
  .trim()
  .refine((name) => nameRegExp.test(name), 'must have 1 to 100 characters and no control characters')
  .meta({ pattern: NAME_PATTERN });

/** The names that callers gave to speakers, by their labels. */
export const speakerNamesSchema = z
  .record(z.string(), z.string())
  .meta({ description: 'The names of speakers; the keys are their labels', examples: [{ 'Speaker 1': 'Anna' }] });
export type SpeakerNames = Readonly<z.infer<typeof speakerNamesSchema>>;

export const nameSpeakersRequestSchema = z
  .object({
    names: z.record(z.string(), nameSchema).meta({
      description: 'Replaces all names; without any, the labels are shown',
      examples: [{ 'Speaker 1': 'Anna' }],
    }),
  })
  .meta({ id: 'NameSpeakersRequest' });
export type NameSpeakersRequest = z.infer<typeof nameSpeakersRequestSchema>;

export const namedSpeakersSchema = z
  .object({ status: z.literal('success'), speaker_names: speakerNamesSchema })
  .meta({ id: 'NamedSpeakers' });
export type NamedSpeakers = z.infer<typeof namedSpeakersSchema>;

/** The names are a document of their own, because ended records are cached by each process. */
export const speakerNamesPiece = (recordId: string) => ({ recordId, name: 'speaker_names', number: 1 }) as const;

/** @returns undefined if no speaker has a name */
export async function speakerNamesOf(contents: ContentsReader, recordId: string): Promise<SpeakerNames | undefined> {
  const [names] = (await contents.piece<SpeakerNames>(speakerNamesPiece(recordId))) ?? [];
  return names;
}

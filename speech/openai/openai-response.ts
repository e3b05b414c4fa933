import { z } from 'zod';

/** For an unknown time some servers omit the field, others return null or -0.01. Others write numbers as texts. */
const seconds = z
  .union([z.number(), z.string().transform(Number)])
  .nullish()
  .catch(undefined);
/** An hour of continuous speech has 60,000 characters and 10,000 words, so longer responses are rejected. */
const textSchema = z.string().max(100_000);
const MAX_WORDS = 20_000;
const wordSchema = z.object({ word: z.string().max(1_000), start: seconds, end: seconds });
/** Words that cannot be read are left out, because the text and the segments contain what was spoken. */
const wordsSchema = z.array(wordSchema).max(MAX_WORDS).nullish().catch(undefined);
const segmentSchema = z.object({
  text: textSchema.nullish(),
  start: seconds,
  end: seconds,
  /** A letter, or a name that the request introduced (diarized_json). */
  speaker: z.coerce.string().nullish(),
  /** whisper.cpp nests the words in segments. */
  words: wordsSchema,
});

/**
 * https://platform.openai.com/docs/api-reference/audio/createTranscription, with the fields that other servers omit or
 * nest. Times are in seconds from the start of the uploaded file.
 */
export const transcriptionSchema = z
  .object({
    text: textSchema.nullish(),
    /** A code or a name, such as `english`. */
    language: z.string().nullish(),
    words: wordsSchema,
    segments: z.array(segmentSchema).max(MAX_WORDS).nullish(),
  })
  .refine(({ text, segments }) => typeof text === 'string' || Array.isArray(segments), 'neither text nor segments');

export type TranscriptionResponse = z.infer<typeof transcriptionSchema>;
export type ResponseWord = z.infer<typeof wordSchema>;
export type ResponseSegment = z.infer<typeof segmentSchema>;

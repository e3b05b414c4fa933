import { z } from 'zod';

/** Some servers give no time where they know none, others null or -0.01. */
const seconds = z.number().nullish();
/** An hour without a breath has 60,000 letters, and 10,000 words. What is longer was not said. */
const textSchema = z.string().max(100_000);
const MOST_WORDS = 20_000;
const wordSchema = z.object({ word: z.string().max(1_000), start: seconds, end: seconds });
const segmentSchema = z.object({
  text: textSchema.nullish(),
  start: seconds,
  end: seconds,
  /** A letter, or a name that the request made known (diarized_json). */
  speaker: z.string().nullish(),
  /** whisper.cpp nests them here. */
  words: z.array(wordSchema).max(MOST_WORDS).nullish(),
});

/**
 * A transcription as `json`, `verbose_json` or `diarized_json`
 * (https://platform.openai.com/docs/api-reference/audio/createTranscription), with what other servers leave out or nest.
 * Times are seconds in the file that was sent.
 */
export const answerSchema = z
  .object({
    text: textSchema.nullish(),
    /** A code, or a name such as `english`. */
    language: z.string().nullish(),
    words: z.array(wordSchema).max(MOST_WORDS).nullish(),
    segments: z.array(segmentSchema).max(MOST_WORDS).nullish(),
  })
  .refine(({ text, segments }) => typeof text === 'string' || Array.isArray(segments), 'neither text nor segments');

export type TranscriptionAnswer = z.infer<typeof answerSchema>;
export type AnswerWord = z.infer<typeof wordSchema>;
export type AnswerSegment = z.infer<typeof segmentSchema>;

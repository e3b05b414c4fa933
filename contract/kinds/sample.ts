import type { FailureCode } from '../failures.ts';
import type { Progress } from '../http/fields.ts';
import { ItemStream } from '../http/streams.ts';

export const SAMPLE = {
  videoId: 'kX3vQ9mTz0A',
  videoUrl: 'https://www.youtube.com/watch?v=kX3vQ9mTz0A',
  channelId: 'UC4kZ0bTq3nW8yR1xV6sL9pA',
  account: 'evening.talks',
  shortcode: 'DAbCdEfGhIj',
  site: 'https://www.instagram.com',
  image: 'https://media.example/bridge.jpg',
  createdAt: '2026-11-21T09:30:00.123456Z',
} as const;

/** A job of a kind, from which the examples of the API's description are rendered. */
export interface KindSample {
  readonly mediaId: string;
  /** Thousandths. Default: 5. */
  readonly price?: number;
  readonly parameters?: object;
  /** Default: a fetch that is under way. */
  readonly progress?: Progress;
  /** A failure through the subject. Default: the page was removed. */
  readonly failure?: readonly [FailureCode, string];
  readonly file?: string;
  readonly facts?: object;
  readonly lists?: Readonly<Record<string, readonly object[]>>;
  readonly other?: Partial<KindSample> & { readonly summary: string };
}

/** @param digit distinguishes the records of one kind */
export function sampleRecordId(letter: string, digit = 0): string {
  return `01JD5Z3K6VQ0W8R9T2X4Y6B8${String(digit)}${letter}`;
}

export function sampleList(...items: readonly object[]): ItemStream<object> {
  return new ItemStream(async function* () {
    yield await Promise.resolve(items);
  }, items.length);
}

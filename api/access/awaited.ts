import type { H3Event } from 'h3';
import { z } from 'zod';
import { ulidSchema } from '../../contract/ids.ts';

const record = z.object({ id: ulidSchema });
/** What pending answers have in common, of all kinds of jobs. */
const pendingSchema = z.object({
  data: record.optional(),
  downloads: z.object({ posts: record, reels: record }).optional(),
  download_id: ulidSchema.optional(),
  transcript_speaker_id: ulidSchema.optional(),
});

const awaited = new WeakMap<H3Event, readonly string[]>();

/** Notes what the caller of a request is told to wait for. @param body of a pending answer */
export function noteAwaited(event: H3Event, body: unknown): void {
  const { data: answer } = pendingSchema.safeParse(body);
  if (answer === undefined) return;
  const { data, downloads, download_id: job, transcript_speaker_id: audio } = answer;
  const one = data?.id ?? job ?? audio;
  const ids = downloads === undefined ? [one] : [downloads.posts.id, downloads.reels.id];
  awaited.set(
    event,
    ids.filter((id) => id !== undefined),
  );
}

/** @returns ids of the downloads that the answer of this request told to wait for */
export function awaitedOf(event: H3Event): readonly string[] {
  return awaited.get(event) ?? [];
}

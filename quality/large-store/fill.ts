import { randomBytes } from 'node:crypto';
import type { Db, Document } from 'mongodb';
import { encodeTime } from 'ulid';
import { isDuplicate } from '../../store/mongo/upsert.ts';
import { pack } from '../../store/records/contents-store.ts';

export const KEY = '3f9c2a7be4d05816';
/** Over which the downloads lie, the newest now. */
export const SPAN_DAYS = 365;

const DAY_MS = 24 * 3_600_000;
const BATCH = 500;
const CONTENTS_CHARS = 1_500;

/** Downloads 0 to `count` - 1, of which those that are there already are left. */
export async function fill(db: Db, count: number, tell: (line: string) => void): Promise<void> {
  const notes = db.collection<{ _id: string; beginMs: number; done: number }>('filled');
  await notes.updateOne(
    { _id: 'state' },
    { $setOnInsert: { beginMs: Date.now() - SPAN_DAYS * DAY_MS, done: 0 } },
    { upsert: true },
  );
  const { beginMs = 0, done = 0 } = (await notes.findOne({ _id: 'state' })) ?? {};
  const stepMs = (SPAN_DAYS * DAY_MS) / count;
  // A text that packs to about half, as captions do.
  const packed = await pack(
    JSON.stringify({ title: 'A title', text: randomBytes(CONTENTS_CHARS / 2).toString('hex') }),
  );
  for (let first = done; first < count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index);
    const all = numbers.map((number) => aDownload(number, beginMs + number * stepMs));
    const documents: Readonly<Record<string, readonly Document[]>> = {
      contents: all.map(({ id }) => ({ _id: id, packed })),
      deliveries: all.map(({ delivery }) => delivery),
      key_downloads: all.filter((_one, index) => index % 2 === 0).map(({ request }) => request),
      records: all.map(({ record }) => record),
    };
    for (const [name, some] of Object.entries(documents)) {
      await db
        .collection(name)
        .insertMany([...some], { ordered: false })
        .catch((error: unknown) => {
          // An interrupted run has already inserted some documents of this batch.
          if (!isDuplicate(error)) throw error;
        });
    }
    await notes.updateOne({ _id: 'state' }, { $set: { done: first + numbers.length } });
    if (first % 20_000 === 0) tell(`${String(first)} of ${String(count)} are there`);
  }
}

function aDownload(number: number, atMs: number) {
  const id = encodeTime(Math.floor(atMs), 10) + number.toString(16).toUpperCase().padStart(16, '0');
  const at = new Date(atMs).toISOString().replace('Z', '000Z');
  const isFailed = number % 50 === 1;
  const ofKey = number % 2 === 0;
  const mediaId = `medium${String(number).padStart(5, '0')}`;
  const record = {
    ...{
      _id: id,
      type: 'captions',
      subjectId: `captions/${mediaId}/en`,
      mediaId,
      createdAt: at,
      finishedAt: at,
      price: 3,
    },
    ...(ofKey ? { chargedTo: KEY, startedBy: KEY } : { startedBy: 'anonymous' }),
    ...(isFailed
      ? { status: 'failed', failure: { reason: 'isPrivate' } }
      : { status: 'success', files: [], charge: 3, title: 'A title of a video that somebody made' }),
  };
  const state = number % 100 === 7 ? 'abandoned' : 'delivered';
  const attempt = { number: 1, startedAt: at, durationMs: 90, statusCode: 200 };
  const delivery = {
    ...{ _id: `webhook/${id}/1`, recordId: id, url: 'https://receiver.example/hooks', endpoint: 'captions', state },
    ...{ createdAt: at, firstAttempt: 1, attempts: { 1: attempt }, subscribedBy: [ofKey ? KEY : 'anonymous'] },
  };
  return { id, record, delivery, request: { _id: `${KEY}/${id}`, requestedAt: at } };
}

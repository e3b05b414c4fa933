import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Binary } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { createTranscriptActivities, type CaptionsOrder } from '../../activities/transcript.ts';
import { failureFor } from '../../contract/failures.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript-facts.ts';
import { NoCaptionsError, type TranscriptSource } from '../../sources/vidnet/yt-dlp/yt-dlp-transcript.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { createContentsStore, type ContentsStore } from '../../store/records/contents-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { wholeOf } from '../helpers/contents.ts';

type Order = CaptionsOrder & { readonly fetch: TranscriptSource['fetch'] };

let mongo: Mongo;
let contents: ContentsStore;

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `act-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  contents = createContentsStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

function captionsOf(lines: number): TranscriptFacts {
  return {
    video: { videoId: 'k3fP0aTz9Qw', link: 'https://video.example/k3fP0aTz9Qw', title: 'Tea', durationSeconds: 61.5 },
    track: { language: 'pt-BR', kind: 'automatic' },
    lines: Array.from({ length: lines }, (_, n) => ({
      startSeconds: n / 8,
      durationSeconds: 1.5,
      text: `Chá ${String(n)}`,
    })),
  };
}

const VIDEO_ID = 'k3fP0aTz9Qw';
const noCaptions = (failing: TranscriptFacts) => new NoCaptionsError(failureFor('noCaptions'), failing.video);

function fetchTranscript(
  recordId: string,
  found: TranscriptFacts,
  { fetch = vi.fn<TranscriptSource['fetch']>().mockResolvedValue(found), ...order }: Partial<Order> = {},
): Promise<JobResult> {
  const activity = createTranscriptActivities({
    transcripts: { fetch },
    comments: { pages: () => Promise.reject(new Error('not asked for')) as never },
    ...{ contents, maxComments: 0, fetchTimeoutMs: 30_000 },
    workFolders: createWorkFolders(join(tmpdir(), `tapedeck-work-${randomUUID()}`)),
  });
  const job = { recordId, mediaId: VIDEO_ID, language: found.track.language, ...order };
  return new MockActivityEnvironment().run(activity.fetchTranscript, job);
}

describe('a transcript', () => {
  it('that is short is one document, as earlier versions read it, also when it was long at first', async () => {
    await fetchTranscript('short', captionsOf(5_000));
    await fetchTranscript('short', captionsOf(3));
    const documents = mongo.db.collection<{ _id: string; packed: Binary }>('contents');
    const { packed } = (await documents.findOne({ _id: 'short' }))!;
    expect(JSON.parse(gunzipSync(packed.value()).toString())).toEqual(captionsOf(3));
    expect(await wholeOf(await contents.facts<TranscriptFacts>('short'))).toEqual(captionsOf(3));
  });

  it('is kept beside the record as it came', async () => {
    const found = captionsOf(5_000);
    expect(await fetchTranscript('whole', found)).toEqual({ durationSeconds: 61.5, title: 'Tea' });
    expect(await wholeOf(await contents.facts<TranscriptFacts>('whole'))).toEqual(found);
  });

  it('without captions fails, or keeps the facts about the page and the reason if speech may replace them', async () => {
    const found = captionsOf(1);
    const fetch = vi.fn<TranscriptSource['fetch']>().mockRejectedValue(noCaptions(found));
    await expect(fetchTranscript('native', found, { fetch })).rejects.toMatchObject({ details: ['no_captions'] });
    expect(await contents.facts('native')).toBeUndefined();
    const missing = { durationSeconds: 61.5, title: 'Tea', isMissing: true };
    expect(await fetchTranscript('auto', found, { fetch, mode: 'auto', languages: ['de', 'en'] })).toEqual(missing);
    expect(fetch.mock.lastCall?.[1]).toEqual({ languages: ['de', 'en'], page: undefined });
    expect(await wholeOf(await contents.facts('auto'))).toEqual({
      ...{ video: found.video, track: { language: 'und', kind: 'speech' }, lines: [] },
      speech: { cost: 0, reason: 'The video has no captions.' },
    });
    const page = { url: 'https://media.example/talk' };
    expect(await fetchTranscript('generate', found, { fetch, mode: 'generate', page })).toEqual(missing);
    expect(fetch.mock.lastCall?.[1]).toEqual({ languages: [], page: page.url });
  });

  it.each([
    [['[Music]', '(applause)', '♪', '【音楽】'], true],
    [['[Music]', '♪ La la ♪'], false],
    [['[Ann] 1984'], false],
  ])('of %j lets speech replace it: %s', async (texts, isMissing) => {
    const lines = texts.map((text, i) => ({ startSeconds: i, durationSeconds: 1, text }));
    const found = { ...captionsOf(0), lines };
    expect((await fetchTranscript('sounds', found, { mode: 'auto' })) as object).toEqual({
      ...{ durationSeconds: 61.5, title: 'Tea' },
      ...(isMissing && { isMissing }),
    });
    expect(await fetchTranscript('sounds', found)).toEqual({ durationSeconds: 61.5, title: 'Tea' });
  });
});

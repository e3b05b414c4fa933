import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Binary } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTranscriptActivities } from '../../activities/transcript.ts';
import type { TranscriptFacts } from '../../contract/kinds/transcript.ts';
import type { JobResult } from '../../contract/download-record.ts';
import { createContentsStore, type ContentsStore } from '../../store/records/contents-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { wholeOf } from '../helpers/contents.ts';

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

function fetchTranscript(recordId: string, told: TranscriptFacts): Promise<JobResult> {
  const activity = createTranscriptActivities({
    transcripts: { fetch: () => Promise.resolve(told) },
    comments: { pages: () => Promise.reject(new Error('not asked for')) as never },
    ...{ contents, maxComments: 0, fetchTimeoutMs: 30_000 },
    workFolders: createWorkFolders(join(tmpdir(), `tapedeck-work-${randomUUID()}`)),
  });
  const job = { recordId, mediaId: told.video.videoId, language: told.track.language };
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
    const told = captionsOf(5_000);
    expect(await fetchTranscript('whole', told)).toEqual({ durationSeconds: 61.5, title: 'Tea' });
    expect(await wholeOf(await contents.facts<TranscriptFacts>('whole'))).toEqual(told);
  });
});

import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { SpeakerLabels } from '../../contract/kinds/speaker-labels.ts';
import { createListActivity } from '../../activities/imgnet-list.ts';
import { createTranscriptActivities } from '../../activities/transcript.ts';
import { createSpeechActivities } from '../../activities/speaker-labels.ts';
import { webhookMessage } from '../../activities/webhook-message.ts';
import type { TranscriptFacts, VideoComment } from '../../contract/kinds/transcript-facts.ts';
import type { DownloadRecord, JobResult } from '../../contract/download-record.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import { brightDataFacts } from '../../sources/imgnet/records/sparse-facts.ts';
import { linesOf, pagesOf } from '../../sources/imgnet/snapshot-rows.ts';
import { createContentsStore, type ContentsStore } from '../../store/records/contents-store.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { createSnapshotStore } from '../../store/records/snapshot-store.ts';
import { createSpeechAudio } from '../../store/files/speech-audio.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { createWebhookSigner } from '../../outbound/webhooks/webhook-signature.ts';
import { aTranscriptJob } from './jobs.ts';
import { noLists, wholeOf } from './contents.ts';
import { LONGEST_TASK_MS, watchEventLoop } from './event-loop.ts';

/** @returns what the work gave, and the longest task of the event loop */
async function watched<Result>(work: () => Promise<Result>): Promise<{ result: Result; longestMs: number }> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  const stop = watchEventLoop();
  const result = await work();
  return { result, longestMs: stop() };
}

/**
 * That the worker sends its heartbeats whatever its activities work on.
 *
 * @param part of the largest of everything that is accepted
 */
export function longWork(part: number): void {
  const folder = join(tmpdir(), `long-work-${randomUUID()}`);
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

  describe('the worker goes on beating', () => {
    it('while a transcript of 100,000 lines at most and 80,000 comments at most are kept, and its webhook is sent', async () => {
      const commentCount = 80_000 * part;
      const job = aTranscriptJob();
      const text = 'forty letters, more or less, in each line';
      const facts: TranscriptFacts = {
        video: { videoId: job.mediaId, link: 'https://video.example/', title: 'Tea' },
        track: { language: 'en', kind: 'automatic' },
        lines: Array.from({ length: 100_000 * part }, (_, n) => ({ startSeconds: n, durationSeconds: 1, text })),
      };
      const page = (number: number): VideoComment[] =>
        Array.from({ length: 100 }, (_, n) => ({
          id: `${String(number)}.${String(n)}`,
          text: 'Yes. '.repeat(20),
          reply_to: 'missing',
        }));
      const { fetchTranscript, fetchComments } = createTranscriptActivities({
        ...{ contents, maxComments: commentCount, fetchTimeoutMs: 30_000, workFolders: createWorkFolders(folder) },
        transcripts: { fetch: () => Promise.resolve(facts) },
        comments: {
          async *pages() {
            for (let number = 0; number < commentCount / 100; number += 1) yield await Promise.resolve(page(number));
          },
        },
      });
      const order = { recordId: job.recordId, mediaId: job.mediaId, language: 'en' };
      const kept = await watched(async (): Promise<JobResult> => {
        const environment = new MockActivityEnvironment();
        const captions: JobResult = await environment.run(fetchTranscript, order);
        const comments: JobResult = await environment.run(fetchComments, order);
        return { ...captions, ...comments };
      });
      expect(kept.longestMs).toBeLessThan(LONGEST_TASK_MS);
      expect(kept.result.lists?.['comments']?.items).toBe(commentCount);

      const record: DownloadRecord = {
        ...pendingRecordOf(job),
        ...{ status: 'success', finishedAt: job.createdAt, charge: 3, files: [], lists: kept.result.lists ?? {} },
      };
      const rendering = { prices: priceTable({}), linkTo: () => '', contents, lists: noLists };
      const delivery = {
        id: `${ulid()}/1`,
        recordId: job.recordId,
        url: 'https://example.com/',
        endpoint: 'transcripts',
        state: 'pending',
        createdAt: job.createdAt,
        attempts: [],
      } as const;
      const sent = await watched(async () => {
        const { body } = await webhookMessage(delivery, record, {
          rendering,
          signWebhook: createWebhookSigner([Buffer.alloc(32)]),
        });
        let chars = 0;
        let longestChunk = 0;
        for await (const chunk of typeof body === 'string' ? [body] : body.chunks) {
          chars += chunk.length;
          longestChunk = Math.max(longestChunk, chunk.length);
        }
        return { chars, longestChunk };
      });
      expect(sent.longestMs).toBeLessThan(LONGEST_TASK_MS);
      expect(sent.result.chars).toBeGreaterThan(20_000_000 * part);
      expect(sent.result.longestChunk).toBeLessThan(300_000);
    }, 120_000);

    it('while the words and voices of twelve hours at most are joined', async () => {
      const recordId = ulid();
      const windows = 144 * part;
      const voices = Array.from({ length: 200 }, (_, n) => n * 1.5);
      const spans = Array.from({ length: windows }, (_, n) => ({ startSeconds: n * 300, endSeconds: (n + 1) * 300 }));
      await contents.putPiece(
        { recordId, name: 'speech_windows', number: 1 },
        spans.map((span) => ({ ...span, speech: [] })),
      );
      for (let number = 1; number <= windows; number += 1) {
        const from = (number - 1) * 300;
        await contents.putPiece({ recordId, name: 'speech_results', number }, [
          {
            language: 'en',
            words: Array.from({ length: 1_000 }, (_, n) => ({
              text: `word${String(n)}`,
              startSeconds: from + n * 0.3,
              endSeconds: from + n * 0.3 + 0.28,
            })),
            voices: voices.map((at, n) => ({
              startSeconds: from + at,
              endSeconds: from + at + 1.4,
              localSpeaker: n % 4,
              embedding: [],
            })),
            origin: { startSeconds: from, endSeconds: from + 300, engineKey: 'fake' },
          },
        ]);
      }
      const { labelSpeakers } = createSpeechActivities({
        ...{
          contents,
          files: createDiskFiles(folder),
          records: createRecordStore(mongo.db),
          workFolders: createWorkFolders(folder),
        },
        ...{
          space: createSpaceGuard({ folders: [tmpdir()], minFreeBytes: 0 }),
          speechAudio: createSpeechAudio(folder),
        },
        speech: {
          engine: {
            name: 'fake',
            analyse: () => Promise.reject(new Error('this test does not analyse')),
            cluster: (all) => Promise.resolve(all.map((some) => some.map(({ localSpeaker }) => localSpeaker))),
          },
          vadModel: '',
        },
        ...{ ffmpeg: '', maxMediaSeconds: 60, speechTimeoutMs: 60_000, speechWindowSeconds: 300 },
      });
      const order = {
        recordId,
        audioId: ulid(),
        windows,
        durationSeconds: 43_200 * part,
        engine: 'fake',
        engineKey: 'fake',
      };
      const { longestMs } = await watched(() => new MockActivityEnvironment().run(labelSpeakers, order));
      expect(longestMs).toBeLessThan(LONGEST_TASK_MS);
      const labels = (await wholeOf(await contents.facts<SpeakerLabels>(recordId))) as {
        segments: { text: string }[];
      };
      expect(labels.segments.reduce((sum, { text }) => sum + text.split(' ').length, 0)).toBe(windows * 1_000);
    }, 120_000);

    it.each([
      ['slides', 'post_content', { type: 'photo', url: 'http://a.b' }],
      ['photos', 'photos', 'http://a.b'],
      ['comments', 'latest_comments', { comment: 'x' }],
    ])('while records with a megabyte of %s are read', async (_what, field, entry) => {
      const recordId = ulid();
      const many = Array.from({ length: Math.floor(1_000_000 / JSON.stringify(entry).length) - 100 }, () => entry);
      const body = async function* (): AsyncGenerator<Uint8Array> {
        for (let n = 0; n < 5; n += 1) {
          const row = Buffer.from(`${JSON.stringify({ shortcode: `C${String(n)}`, [field]: many })}\n`);
          for (let at = 0; at < row.length; at += 65_536) yield await Promise.resolve(row.subarray(at, at + 65_536));
        }
      };
      const rows = () =>
        pagesOf(linesOf(body(), { maxLineBytes: 1024 ** 2, maxBodyBytes: 1e9 }), { hosts: [], retryAtMs: undefined });
      const { storeList } = createListActivity({
        ...{ contents, snapshots: createSnapshotStore(mongo.db), fetchTimeoutMs: 30_000 },
        records: createRecordStore(mongo.db),
        imgnet: { rows, facts: brightDataFacts({ platformUrl: 'https://www.instagram.com', hosts: [] }) } as never,
      });
      const order = {
        part: 'posts' as const,
        account: 'tea',
        snapshot: { recordId, part: 'posts', snapshotId: 's', isEmpty: false },
      };
      const { result, longestMs } = await watched(() => new MockActivityEnvironment().run(storeList, order as never));
      expect(longestMs).toBeLessThan(LONGEST_TASK_MS);
      expect(result).toMatchObject({ lists: { posts: { items: 5 } } });
    });

    it('while a snapshot has nothing but rows that are no records', async () => {
      const line = `[${'1,'.repeat(100_000)}1]`;
      const lines = async function* (): AsyncGenerator<string> {
        yield await Promise.resolve(line);
      };
      const { longestMs } = await watched(async () => {
        await expect(pagesOf(lines(), { hosts: [], retryAtMs: undefined }).next()).rejects.toMatchObject({
          name: 'JobError',
        });
      });
      expect(longestMs).toBeLessThan(LONGEST_TASK_MS);
    });
  });
}

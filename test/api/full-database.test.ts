import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTranscriptActivities } from '../../activities/transcript.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startMongodb, ensureMongodbServer } from '../../local/engines/mongodb-server.ts';
import { mongodbAddress } from '../../local/engines/ports.ts';
import type { Supervised } from '../../local/supervise.ts';
import { finishRecord } from '../../store/records/finish-record.ts';
import { isDiskFull } from '../../store/files/free-space.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { startFacades, type Facades } from '../helpers/rest-app.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../helpers/small-disk.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const log = (): void => undefined;
const SMALL_MIB = 6;
const VIDEO = 'kX3vQ9mTz0A';

describe.runIf(canMount)('a full disk under the embedded database', () => {
  let stateDir: string;
  let disk: SmallDisk;
  let daemon: Supervised;
  let facades: Facades;
  const job = anAudioJob();

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'tapedeck-full-database-'));
    const data = join(stateDir, 'ferretdb');
    disk = mountSmallDisk(data, SMALL_MIB);
    // This file marks the folder as one of FerretDB.
    await writeFile(join(data, 'mark'), '');
    const setup = { env: process.env, cacheDir: defaultCacheDir(process.env), log };
    const { value: server } = await ensureMongodbServer(setup, stateDir);
    const address = await mongodbAddress({}, stateDir);
    daemon = await startMongodb({ server, env: process.env, stateDir, address, log });
    facades = await startFacades(undefined, { mongodbUri: address.uri });
    const { records, keys } = facades.deps;
    // The collections exist, as after the first jobs.
    await keys.create({ name: 'first', scopes: ['jobs'] });
    await records.insertIfAbsent(pendingRecordOf(job));
    await facades.contents.putFacts(job.recordId, { title: 'Tea' });
    await facades.post('/api/transcripts', JSON.stringify({ vidnet_video_id: 'aX3vQ9mTz0A', language: 'en' }));
    const fillers = facades.db.collection<{ _id: string }>('fillers');
    for (const chars of [100_000, 1_000, 1]) {
      let error: unknown;
      for (let number = 0; error === undefined; number += 1) {
        const filler = { _id: `${String(chars)}-${String(number)}`, text: 'x'.repeat(chars) };
        error = await fillers.insertOne(filler).then(
          () => undefined,
          (reason: unknown) => reason,
        );
      }
      expect(isDiskFull(error)).toBe(true);
    }
  });
  afterAll(async () => {
    disk.resize(64);
    await facades.close();
    await daemon.stop(5_000);
    disk.unmount();
    await rm(stateDir, { recursive: true, force: true });
  });

  it.each([
    ['/api/downloads/audio', { vidnet_video_id: VIDEO }],
    ['/api/downloads/video', { vidnet_video_id: VIDEO }],
    ['/api/transcripts', { vidnet_video_id: VIDEO, language: 'en' }],
    ['/api/channel/profile', { url: 'https://www.youtube.com/@tea' }],
    ['/api/imgnet/profile', { url: 'https://www.instagram.com/tea' }],
    ['/api/imgnet/audio', { url: 'https://www.instagram.com/reel/Abc123/' }],
  ])('is answered 503 with Retry-After: POST %s', async (path, body) => {
    const answer = await facades.post(path, JSON.stringify(body));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(answer.body).toEqual({ code: 'unavailable', error: 'The service has no space left. Try again soon.' });
  });

  it('is reported over tRPC too', async () => {
    await expect(facades.rpc.downloads.audio.mutate({ vidnet_video_id: VIDEO })).rejects.toMatchObject({
      data: { httpStatus: 503 },
    });
  });

  it('does not prevent reads', async () => {
    const answer = await fetch(`${facades.url}/downloads/${job.recordId}`);
    expect([answer.status, await answer.json()]).toMatchObject([202, { data: { status: 'pending' } }]);
  });

  it('is the error of each write to the stores', async () => {
    const { records, keys, lists, deliveries } = facades.deps;
    const { contents } = facades;
    const items = async function* (): AsyncGenerator<object> {
      yield await Promise.resolve({ text: 'x' });
    };
    const writes = {
      insert: () => records.insertIfAbsent(pendingRecordOf(anAudioJob())),
      latest: () => records.noteLatest({ subjectId: 'audio/x', id: ulid() }),
      finish: () => finishRecord(records, job.recordId, { status: 'success', result: {} }),
      key: () => keys.create({ name: 'second', scopes: ['jobs'] }),
      facts: () => contents.putFacts(ulid(), { title: 'x' }),
      list: () => contents.putList({ recordId: ulid(), name: 'comments' }, items()),
      delivery: () =>
        deliveries.open({
          ...{ id: ulid(), recordId: ulid(), url: 'https://receiver.example/', endpoint: 'downloads/audio' },
          createdAt: '2026-11-21T09:30:00.123456Z',
        }),
      drop: () => facades.db.collection<{ _id: string }>('fillers').deleteOne({ _id: '100000-1' }),
    };
    expect(lists).toBeDefined();
    for (const [name, write] of Object.entries(writes)) {
      const error: unknown = await write().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(isDiskFull(error), `${name}: ${String(error)}`).toBe(true);
    }
  });

  it('lets a job wait until its result can be stored', async () => {
    const activities = createTranscriptActivities({
      transcripts: {
        fetch: () =>
          Promise.resolve({
            video: { videoId: VIDEO, link: 'https://video.example/', title: 'Tea', durationSeconds: 60 },
            track: { language: 'en', kind: 'automatic' as const },
            lines: [],
          }),
      },
      comments: {
        pages: async function* () {
          yield await Promise.resolve([]);
        },
      },
      ...{ contents: facades.contents, maxComments: 10, fetchTimeoutMs: 30_000 },
      workFolders: createWorkFolders(join(stateDir, 'work')),
    });
    const order = { recordId: ulid(), mediaId: VIDEO, language: 'en' };
    const fetchTranscript = (): Promise<unknown> =>
      new MockActivityEnvironment().run(activities.fetchTranscript, order).catch((error: unknown) => error);
    // The workflow then waits for space without using an attempt.
    expect(await fetchTranscript()).toMatchObject({ type: 'internal', nonRetryable: true, details: ['disk_full'] });
    disk.resize(64);
    expect(await fetchTranscript()).toMatchObject({ durationSeconds: 60 });
    const answer = await facades.post('/api/downloads/audio', JSON.stringify({ vidnet_video_id: VIDEO }));
    expect(answer.status).toBe(202);
  });
});

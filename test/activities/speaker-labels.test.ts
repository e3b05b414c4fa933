import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createSpeechActivities, type PreparedSpeech } from '../../activities/speaker-labels.ts';
import { pendingRecordOf } from '../../contract/jobs.ts';
import { createContentsStore } from '../../store/contents.ts';
import { createDiskFiles } from '../../store/disk-files.ts';
import { createSpaceGuard } from '../../store/free-space.ts';
import { openMongo, type Mongo } from '../../store/mongo.ts';
import { createRecordStore } from '../../store/records.ts';
import { createSpeechAudio } from '../../store/speech-audio.ts';
import { createWorkFolders } from '../../store/work-folders.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';
import { anAudioJob } from '../helpers/workflow-run.ts';

const SECONDS = 20;
const bench = useSpeechTools();
let mongo: Mongo;
beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `speech-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

/** Publishes a tone of 20 s, lets its file be harmed, and prepares it for transcription. */
async function prepare(harm: (path: string) => Promise<void>, language?: string): Promise<PreparedSpeech> {
  const job = anAudioJob();
  const name = `${job.mediaId}.m4a`;
  const root = join(bench.folder, 'files');
  const files = createDiskFiles(root);
  const records = createRecordStore(mongo.db);
  const source = await bench.make(name, '-f', 'lavfi', '-i', `sine=d=${String(SECONDS)}`);
  const file = await files.publish(source, { recordId: job.recordId, name }, new AbortController().signal);
  await records.insertIfAbsent(pendingRecordOf(job));
  const result = { durationSeconds: SECONDS, files: [file] };
  await records.finish(job.recordId, { status: 'success', result }, '2026-11-21T09:31:00.000000Z');
  await harm(join(root, job.recordId, name));
  const { prepareSpeech } = createSpeechActivities({
    ...{ files, records, contents: createContentsStore(mongo.db) },
    workFolders: createWorkFolders(join(bench.folder, 'work')),
    space: createSpaceGuard({ folders: [bench.folder], minFreeBytes: 0 }),
    speechAudio: createSpeechAudio(join(bench.folder, 'speech')),
    speech: {
      engine: {
        name: 'none',
        languages: ['en'],
        analyse: () => Promise.reject(new Error('not asked for')),
        cluster: () => Promise.reject(new Error('not asked for')),
      },
      vadModel: bench.tools.vadModel,
    },
    ffmpeg: inject('tools').ffmpeg,
    ...{ maxMediaSeconds: 60, speechTimeoutMs: 60_000, speechWindowSeconds: 300 },
  });
  const asked = language === undefined ? {} : { language };
  const order = { recordId: ulid(), audioId: job.recordId, fileName: name, ...asked };
  return new MockActivityEnvironment().run(prepareSpeech, order);
}

describe('audio that is prepared for transcription', () => {
  it('is as long as its record says, and leaves no work folder', async () => {
    const prepared = await prepare(() => Promise.resolve());
    expect(prepared).toMatchObject({ windows: 0, engine: 'none' });
    expect(Math.abs(prepared.durationSeconds - SECONDS)).toBeLessThan(0.2);
    expect(await readdir(join(bench.folder, 'work'))).toEqual([]);
  });

  it('is not prepared in a language that the engine does not know', async () => {
    await expect(prepare(() => Promise.resolve(), 'de-AT')).rejects.toMatchObject({
      ...{ type: 'subject', details: ['unsupported'] },
      message: 'The speech engine does not know the language de-AT; it knows en.',
    });
    expect(await prepare(() => Promise.resolve(), 'en-GB')).toMatchObject({ engine: 'none' });
  });

  it('of which the second half was lost on our disk is no audio at all', async () => {
    const half = prepare(async (path) => {
      const bytes = await readFile(path);
      // The index at the end stays, so that the file opens.
      const quarter = Math.floor(bytes.length / 4);
      await writeFile(path, bytes.fill(0, quarter, 3 * quarter));
    });
    await expect(half).rejects.toMatchObject({
      type: 'ours',
      message: 'The stored audio is damaged: download it again, and use the id of that.',
    });
  });
});

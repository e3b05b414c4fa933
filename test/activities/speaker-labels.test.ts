import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { SpeechOrder } from '../../activities/prepared-audio.ts';
import { createSpeechActivities, type PreparedSpeech } from '../../activities/speaker-labels.ts';
import { pendingRecordOf } from '../../contract/job-input.ts';
import { JobError } from '../../runtime/job-error.ts';
import { engineKeyOf, type SpeechEngine } from '../../speech/speech-engine.ts';
import { readWavLayout } from '../../speech/wav.ts';
import { createContentsStore, type ContentsStore } from '../../store/records/contents-store.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createSpaceGuard } from '../../store/files/free-space.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { createSpeechAudio } from '../../store/files/speech-audio.ts';
import { createWorkFolders } from '../../store/files/work-folders.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';
import { wholeOf } from '../helpers/contents.ts';
import { anAudioJob } from '../helpers/jobs.ts';

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

interface Prepared {
  readonly activities: ReturnType<typeof createSpeechActivities>;
  /** The same on another machine, which has a folder and an engine of its own. */
  readonly onMachine: (folder: string, engine: SpeechEngine) => ReturnType<typeof createSpeechActivities>;
  readonly contents: ContentsStore;
  readonly order: SpeechOrder;
  readonly prepared: PreparedSpeech;
}

const noEngine: SpeechEngine = {
  name: 'none',
  languages: ['en'],
  analyse: () => Promise.reject(new Error('unexpected call')),
  cluster: () => Promise.reject(new Error('unexpected call')),
};

/** Publishes a tone of 20 s, lets its file be harmed, and prepares it for transcription. */
async function prepare(
  harm: (path: string) => Promise<void> = () => Promise.resolve(),
  {
    engine = noEngine,
    language,
    pictures = [],
  }: { engine?: SpeechEngine; language?: string; pictures?: string[] } = {},
): Promise<Prepared> {
  const job = anAudioJob();
  const name = `${job.mediaId}.${pictures.length === 0 ? 'm4a' : 'mp4'}`;
  const root = join(bench.folder, 'files');
  const files = createDiskFiles(root);
  const records = createRecordStore(mongo.db);
  const source = await bench.make(name, '-f', 'lavfi', '-i', `sine=d=${String(SECONDS)}`, ...pictures);
  const file = await files.publish(source, { recordId: job.recordId, name }, new AbortController().signal);
  await records.insertIfAbsent(pendingRecordOf(job));
  const silent = { name: 'silent.m4a', sizeBytes: 1, sha256: 'x', isSilence: true } as const;
  const result = { durationSeconds: SECONDS, files: [silent, file] };
  await records.finish(job.recordId, { status: 'success', result }, '2026-11-21T09:31:00.000000Z');
  await harm(join(root, job.recordId, name));
  const contents = createContentsStore(mongo.db);
  const onMachine = (folder: string, has: SpeechEngine) =>
    createSpeechActivities({
      ...{ files, records, contents },
      workFolders: createWorkFolders(join(bench.folder, 'work')),
      space: createSpaceGuard({ folders: [bench.folder], minFreeBytes: 0 }),
      speechAudio: createSpeechAudio(join(bench.folder, folder)),
      speech: { engine: has, vadModel: bench.tools.vadModel },
      ffmpeg: inject('tools').ffmpeg,
      ...{ maxMediaSeconds: 60, speechTimeoutMs: 60_000, speechWindowSeconds: 300 },
    });
  const activities = onMachine('speech', engine);
  const hints = language === undefined ? {} : { language };
  const order = { recordId: ulid(), audioId: job.recordId, ...hints };
  const { prepareSpeech } = activities;
  const env = new MockActivityEnvironment();
  const prepared = await env.run<[SpeechOrder], PreparedSpeech, typeof prepareSpeech>(prepareSpeech, order);
  return { activities, onMachine, contents, order, prepared };
}

describe('audio that is prepared for transcription', () => {
  it('is as long as its record says, and leaves no work folder', async () => {
    const { prepared } = await prepare();
    expect(prepared).toMatchObject({ windows: 1, engine: 'none' });
    expect(Math.abs(prepared.durationSeconds - SECONDS)).toBeLessThan(0.2);
    expect(await readdir(join(bench.folder, 'work'))).toEqual([]);
  });

  it('may be the sound of a video, which ends before the pictures', async () => {
    const pictures = ['-f', 'lavfi', '-i', `testsrc=d=${String(2 * SECONDS)}:s=64x64:r=5`, '-pix_fmt', 'yuv420p'];
    const { prepared } = await prepare(undefined, { pictures });
    expect(Math.abs(prepared.durationSeconds - SECONDS)).toBeLessThan(0.2);
  });

  it('is analysed from beginning to end although voice activity detection finds no speech', async () => {
    const { prepared, contents, order } = await prepare();
    const piece = { recordId: order.recordId, name: 'speech_windows', number: 1 };
    const { durationSeconds: endSeconds } = prepared;
    expect(await contents.piece(piece)).toEqual([{ startSeconds: 0, endSeconds, speech: [], taken: 'mix' }]);
  });

  it('is not prepared in a language that the engine does not know', async () => {
    await expect(prepare(undefined, { language: 'de-AT' })).rejects.toMatchObject({
      ...{ type: 'subject', details: ['unsupported'] },
      message: 'The speech engine does not support the language de-AT; it supports en.',
    });
    expect((await prepare(undefined, { language: 'en-GB' })).prepared).toMatchObject({ engine: 'none' });
  });

  it('of which the second half was lost on our disk is no audio at all', async () => {
    const half = prepare(async (path) => {
      const bytes = await readFile(path);
      // The index at the end stays, so that the file opens.
      const quarter = Math.floor(bytes.length / 4);
      await writeFile(path, bytes.fill(0, quarter, 3 * quarter));
    });
    await expect(half).rejects.toMatchObject({
      type: 'internal',
      message: 'The stored audio is damaged. Download it again, and use the id of the new download.',
    });
  });
});

it('does not transcribe a stored window again when the job repeats it, and merges all windows by their times', async () => {
  const heardAt: number[] = [];
  const engine: SpeechEngine = {
    name: 'half-deaf',
    analyse: ({ startSeconds }) => {
      heardAt.push(startSeconds);
      if (heardAt.length === 2) return Promise.reject(new JobError({ code: 'upstream_error', message: 'It is away.' }));
      const spoken = { startSeconds, endSeconds: startSeconds + 1 };
      return Promise.resolve({
        words: [{ text: `word${String(heardAt.length)}`, ...spoken }],
        voices: [{ ...spoken, localSpeaker: 0, embedding: [1] }],
      });
    },
    cluster: (windows) => Promise.resolve(windows.map((voices) => voices.map(() => 0))),
  };
  const { activities, contents, order, prepared } = await prepare(undefined, { engine });
  const windows = [0, 10].map((startSeconds) => ({ startSeconds, endSeconds: startSeconds + 5, speech: [] }));
  await contents.putPiece({ recordId: order.recordId, name: 'speech_windows', number: 1 }, windows);
  const transcribe = (number: number) =>
    new MockActivityEnvironment().run(activities.transcribeWindow, {
      ...{ ...order, number, engine: engine.name, engineKey: prepared.engineKey },
    });

  expect(await transcribe(1)).toEqual({ words: 1, voices: 1 });
  await expect(transcribe(2)).rejects.toMatchObject({ details: ['upstream_error'] });
  for (const number of [1, 2, 1, 2]) expect(await transcribe(number)).toEqual({ words: 1, voices: 1 });
  expect(heardAt).toEqual([0, 10, 10]);

  await new MockActivityEnvironment().run(activities.labelSpeakers, { ...order, ...prepared, windows: 2 });
  expect(await wholeOf(await contents.facts(order.recordId))).toMatchObject({
    engine: 'half-deaf',
    segments: [
      { text: 'word1', start: 0 },
      { text: 'word3', start: 10 },
    ],
  });
});

describe('a window that another machine takes', () => {
  const hearing = (models: string, heard: Buffer[]): SpeechEngine => ({
    ...{ name: 'keen', models },
    analyse: async ({ wavPath, startSeconds, endSeconds }) => {
      const { offsetBytes } = await readWavLayout(wavPath);
      const [from, to] = [startSeconds, endSeconds].map((seconds) => offsetBytes + Math.round(seconds * 16_000) * 2);
      heard.push((await readFile(wavPath)).subarray(from, to));
      return { words: [], voices: [] };
    },
    cluster: () => Promise.resolve([]),
  });

  it('is cut out of the published audio, to the sample, and nothing else is made there', async () => {
    const [here, there]: [Buffer[], Buffer[]] = [[], []];
    const { activities, onMachine, contents, order, prepared } = await prepare(undefined, {
      engine: hearing('a', here),
    });
    const windows = [{ startSeconds: 7.25, endSeconds: 11.5, speech: [], taken: 'mix' }];
    await contents.putPiece({ recordId: order.recordId, name: 'speech_windows', number: 1 }, windows);
    const { engine, engineKey } = prepared;
    const window = { ...order, number: 1, engine, engineKey };
    await new MockActivityEnvironment().run(activities.transcribeWindow, window);
    await contents.removePieces({ recordId: order.recordId, name: 'speech_results' }, 1);
    await new MockActivityEnvironment().run(onMachine('elsewhere', hearing('a', there)).transcribeWindow, window);
    expect(there[0]?.length).toBe(4.25 * 32_000);
    const differences = Array.from({ length: 4.25 * 16_000 }, (_, index) =>
      Math.abs(here[0]!.readInt16LE(index * 2) - there[0]!.readInt16LE(index * 2)),
    );
    expect(Math.max(...differences)).toBeLessThan(100);
    expect(await readdir(join(bench.folder, 'elsewhere'), { recursive: true })).toEqual([order.recordId]);
  });

  it('transcribes a window again if its stored result is from other models', async () => {
    const [first, second]: [Buffer[], Buffer[]] = [[], []];
    const { activities, onMachine, order, prepared } = await prepare(undefined, { engine: hearing('a', first) });
    const window = { ...order, number: 1, engine: 'keen' };
    const hear = (machine: typeof activities, engineKey: string) =>
      new MockActivityEnvironment().run(machine.transcribeWindow, { ...window, engineKey });
    const newer = onMachine('newer', hearing('b', second));
    const keyOf = (models: string) => engineKeyOf({ name: 'keen', models });
    expect(prepared.engineKey).toBe(keyOf('a'));
    for (let times = 0; times < 2; times += 1) await hear(activities, keyOf('a'));
    for (let times = 0; times < 2; times += 1) await hear(newer, keyOf('b'));
    expect([first.length, second.length]).toEqual([1, 1]);
  });
});

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { RecordStore } from '../../store/records/record-store.ts';
import { createSpeechAudio } from '../../store/files/speech-audio.ts';
import { keepRemoving, removeSpeechLeftovers } from '../../worker/sweeps.ts';
import { until } from '../helpers/until.ts';

it('audio of a transcription goes when the transcription has ended, on whichever machine it ended', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tapedeck-leftovers-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [running, ended, unknown] = [ulid(), ulid(), ulid()];
  // No record has such an id, so the folder is none of ours.
  const foreign = 'lost+found';
  for (const name of [running, ended, unknown, foreign]) await mkdir(join(root, name));
  const statuses = new Map([
    [running, 'pending'],
    [ended, 'success'],
  ]);
  const get = ((id: string) => {
    const status = statuses.get(id);
    return Promise.resolve(status === undefined ? undefined : { status });
  }) as RecordStore['get'];
  const removed: string[] = [];
  const audio = createSpeechAudio(root);
  const warn = vi.fn();
  const log = { warn, info: ({ removed: ids }: { removed: string[] }) => void removed.push(...ids) };
  const { sweep, stop } = keepRemoving('audio', () => removeSpeechLeftovers(audio, { get }), { everyMs: 20, log });
  await sweep();
  expect(removed.sort()).toEqual([ended, unknown].sort());
  expect((await readdir(root)).sort()).toEqual([running, foreign]);
  statuses.set(running, 'failed');
  await until(() => removed.includes(running));
  stop();
  expect(warn).not.toHaveBeenCalled();
  expect(await readdir(root)).toEqual([foreign]);
});

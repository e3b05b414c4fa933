import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RECORDING_MAX_SECONDS, type MediaOptions } from '../../../contract/kinds/media-options.ts';
import { JobError } from '../../../runtime/job-error.ts';
import type { Recording } from './ffmpeg-downloader.ts';

export interface TimedRecording extends Recording {
  /** When it is ended, whatever has come by then. */
  readonly endsAfterMs: number;
}

/** @throws JobError when the time of its end is over */
export function recordingOf(live: NonNullable<MediaOptions['live']>, maxMediaSeconds: number): TimedRecording {
  const { from, seconds = Infinity, until } = live;
  const left = until === undefined ? Infinity : (Date.parse(until) - Date.now()) / 1000;
  if (left <= 0) throw new JobError('recordingOver');
  const longest = Math.min(maxMediaSeconds, RECORDING_MAX_SECONDS);
  return {
    fromStart: from === 'start',
    maxSeconds: Math.min(seconds, longest),
    endsAfterMs: 1000 * Math.min(left, longest),
  };
}

/** @returns whether a recording that was ended has left something */
export async function hasRecorded(folder: string): Promise<boolean> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('media.'));
  const files = await Promise.all(names.map((name) => stat(join(folder, name))));
  return files.some(({ size }) => size > 0);
}

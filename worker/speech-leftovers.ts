import type { RecordStore } from '../store/records/record-store.ts';
import type { SpeechAudio } from '../store/files/speech-audio.ts';
import { repeatSweep } from './repeat-sweep.ts';

const EVERY_MS = 60_000;

/**
 * Removes the prepared audio of jobs that have ended. A workflow removes it at its end, but only on one machine, and not if it
 * is terminated.
 *
 * @returns the IDs of the records
 */
export async function removeSpeechLeftovers(
  audio: Pick<SpeechAudio, 'list' | 'remove'>,
  records: Pick<RecordStore, 'get'>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const recordId of await audio.list()) {
    const record = await records.get(recordId);
    if (record?.status === 'pending') continue;
    await audio.remove(recordId);
    removed.push(recordId);
  }
  return removed;
}

/** Removes leftovers at once and then every minute, because other machines end jobs whose audio is on this one. @throws if the first removal fails */
export async function keepRemovingSpeechLeftovers(
  audio: Pick<SpeechAudio, 'list' | 'remove'>,
  records: Pick<RecordStore, 'get'>,
  {
    everyMs = EVERY_MS,
    onRemoved,
    onError,
  }: {
    readonly everyMs?: number;
    readonly onRemoved: (records: readonly string[]) => void;
    readonly onError: (error: unknown) => void;
  },
): Promise<{ readonly stop: () => void }> {
  const sweep = async (): Promise<void> => {
    const removed = await removeSpeechLeftovers(audio, records);
    if (removed.length > 0) onRemoved(removed);
  };
  await sweep();
  return repeatSweep(sweep, { everyMs, onError });
}

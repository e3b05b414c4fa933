import type { RecordStore } from '../store/records.ts';
import type { SpeechAudio } from '../store/speech-audio.ts';

/**
 * Removes prepared audio of jobs that have ended: a workflow removes it at its end, but on one machine only, and not when
 * it was terminated.
 *
 * @returns the records
 */
export async function removeSpeechLeftovers(audio: SpeechAudio, records: RecordStore): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const recordId of await audio.list()) {
    const record = await records.get(recordId);
    if (record?.status === 'pending') continue;
    await audio.remove(recordId);
    removed.push(recordId);
  }
  return removed;
}

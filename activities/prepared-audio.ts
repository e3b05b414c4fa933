import type { SpeakerLabelsParameters } from '../contract/kinds/speaker-labels.ts';
import { JobError } from '../runtime/job-error.ts';
import { prepareWav } from '../speech/prepare.ts';
import { MissingFileError, type FileStore } from '../store/files.ts';
import type { SpaceGuard } from '../store/free-space.ts';
import type { RecordStore } from '../store/records.ts';
import type { SpeechAudio } from '../store/speech-audio.ts';
import type { RunningCall } from './source-call.ts';
import { withSpace } from './space.ts';

export interface PreparedAudioDeps {
  readonly records: RecordStore;
  readonly files: FileStore;
  readonly space: SpaceGuard;
  readonly speechAudio: SpeechAudio;
  /** Absolute path. */
  readonly ffmpeg: string;
  readonly maxMediaSeconds: number;
}

export type SpeechOrder = SpeakerLabelsParameters & { readonly recordId: string };

const DAMAGED = 'The stored audio is damaged: download it again, and use the id of that.';

/** The prepared audio, which this machine may still lack. @throws JobError `removed`, `disk_full` */
export function preparedAudio(deps: PreparedAudioDeps, order: SpeechOrder, call: RunningCall): Promise<string> {
  return deps.speechAudio.ensure(order.recordId, (path) =>
    withSpace(deps.space, call, async ({ signal, timeoutMs, folder }) => {
      const input = await audioOf(deps, order, folder);
      // It decodes an hour in seconds: there is no progress to tell.
      const rest = { maxSeconds: deps.maxMediaSeconds, onProgress: () => undefined };
      await prepareWav(input, path, { ffmpeg: deps.ffmpeg, signal, timeoutMs, ...rest }).catch((error: unknown) => {
        // It was verified when it was published: no platform is at fault any more.
        const isUnreadable = error instanceof JobError && error.code === 'incomplete';
        throw isUnreadable ? new JobError('internal', DAMAGED, { cause: error }) : error;
      });
    }),
  );
}

/** A decoder skips what it cannot read: half a transcript must not pass for a whole one. @throws JobError `internal` */
export async function refuseHalf(
  { records }: PreparedAudioDeps,
  { audioId }: SpeechOrder,
  foundSeconds: number,
): Promise<void> {
  const audio = await records.get(audioId);
  const expectedSeconds = audio?.status === 'success' ? (audio.durationSeconds ?? 0) : 0;
  if (expectedSeconds - foundSeconds > Math.max(1, expectedSeconds / 100)) throw new JobError('internal', DAMAGED);
}

async function audioOf({ files, records }: PreparedAudioDeps, order: SpeechOrder, folder: string): Promise<string> {
  const audio = await records.get(order.audioId);
  const file = audio?.status === 'success' ? audio.files.find(({ name }) => name === order.fileName) : undefined;
  try {
    if (file !== undefined) return await files.localCopy(order.audioId, file, folder);
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error;
  }
  throw new JobError('removed', 'The audio is not kept any more: download it again, and use the id of that.');
}

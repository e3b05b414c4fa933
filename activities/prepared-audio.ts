import { join } from 'node:path';
import { soundFileOf } from '../contract/kinds/sound.ts';
import type { SpeakerLabelsParameters } from '../contract/kinds/speaker-labels.ts';
import { JobError } from '../runtime/job-error.ts';
import type { SpeechWindow } from '../contract/speech-results.ts';
import { cutWindow, prepareWav, CHANNEL_SELECTIONS, type ChannelSelection } from '../speech/prepare.ts';
import { MissingFileError, type FileStore } from '../store/files/file-store.ts';
import type { SpaceGuard } from '../store/files/free-space.ts';
import type { RecordStore } from '../store/records/record-store.ts';
import type { SpeechAudio } from '../store/files/speech-audio.ts';
import type { RunningCall } from './source-call.ts';
import { withSpace } from './with-space.ts';

export interface PreparedAudioDeps {
  readonly records: RecordStore;
  readonly files: FileStore;
  readonly space: SpaceGuard;
  readonly speechAudio: SpeechAudio;
  readonly ffmpeg: string;
  readonly maxMediaSeconds: number;
}

export interface SpeechOrder extends Omit<SpeakerLabelsParameters, 'awaits'> {
  readonly recordId: string;
}

export interface KeptWindow extends SpeechWindow {
  /** The channels that were prepared. Absent if the window cannot be cut from the published audio. */
  readonly taken?: ChannelSelection | undefined;
}

/**
 * Prepares the audio of a job on this machine, unless it is prepared already.
 *
 * @returns `taken`: the channels that were prepared
 * @throws JobError `removed`, `disk_full`
 */
export async function preparedAudio(
  deps: PreparedAudioDeps,
  order: SpeechOrder,
  call: RunningCall,
): Promise<{ readonly wavPath: string; readonly taken: ChannelSelection | undefined }> {
  const { path, note } = await deps.speechAudio.ensure(order.recordId, (output) =>
    withSpace(deps.space, call, async ({ signal, timeoutMs, folder }) => {
      const input = await audioOf(deps, order, folder);
      const { ffmpeg, maxMediaSeconds: maxSeconds } = deps;
      // Decoding takes seconds per hour of audio, so no progress is reported.
      return prepareWav(input, output, { ffmpeg, signal, timeoutMs, maxSeconds }).catch(asStoredAudioFailure);
    }),
  );
  return { wavPath: path, taken: CHANNEL_SELECTIONS.find((one) => one === note) };
}

/**
 * Provides a WAV file with the samples of a window at their positions: the prepared audio of this machine, or the window cut
 * from a local copy of the published audio. All windows of a job share that copy.
 *
 * @throws JobError `removed`, `disk_full`
 */
export async function audioWith(
  window: KeptWindow,
  deps: PreparedAudioDeps,
  { order, call }: { readonly order: SpeechOrder; readonly call: RunningCall },
): Promise<string> {
  const { taken } = window;
  if (taken === undefined) return (await preparedAudio(deps, order, call)).wavPath;
  const whole = await deps.speechAudio.find(order.recordId);
  if (whole !== undefined) return whole;
  return withSpace(deps.space, call, async ({ signal, timeoutMs, folder }) => {
    const input = await deps.speechAudio.source(order.recordId, (folder) => audioOf(deps, order, folder));
    const path = join(folder, 'window.wav');
    await cutWindow(input, path, { ...window, taken, ffmpeg: deps.ffmpeg, signal, timeoutMs }).catch(
      asStoredAudioFailure,
    );
    return path;
  });
}

/** The audio was verified when it was published, so unreadable audio is an internal fault. */
function asStoredAudioFailure(error: unknown): never {
  const isUnreadable = error instanceof JobError && error.code === 'incomplete';
  throw isUnreadable ? new JobError('storedAudioDamaged', { cause: error }) : error;
}

/** Up to this difference, published audio has no gaps, so that times are positions of samples. */
const GAPLESS_SECONDS = 0.1;

/**
 * Rejects audio of which a part is missing, since a decoder skips unreadable parts.
 *
 * @returns whether the audio has its full duration, to a tenth of a second
 * @throws JobError `internal`
 */
export async function rejectPartialAudio(
  { records }: PreparedAudioDeps,
  { audioId }: SpeechOrder,
  foundSeconds: number,
): Promise<boolean> {
  const audio = await records.get(audioId);
  // The sound of a video may be shorter than its pictures, whose duration the record states.
  if (audio?.status !== 'success' || soundFileOf(audio)?.name.endsWith('.m4a') !== true) return false;
  const { durationSeconds: expectedSeconds = 0 } = audio;
  if (expectedSeconds - foundSeconds > Math.max(1, expectedSeconds / 100)) throw new JobError('storedAudioDamaged');
  return Math.abs(expectedSeconds - foundSeconds) <= GAPLESS_SECONDS;
}

async function audioOf({ files, records }: PreparedAudioDeps, order: SpeechOrder, folder: string): Promise<string> {
  const audio = await records.get(order.audioId);
  const file = audio && soundFileOf(audio);
  try {
    if (file !== undefined) return await files.localCopy(order.audioId, file, folder);
  } catch (error) {
    if (!(error instanceof MissingFileError)) throw error;
  }
  throw new JobError('audioRemoved');
}

import { ApiError } from '../../contract/errors.ts';
import type { DownloadRecord, PublishedFile, SuccessRecord } from '../../contract/records.ts';
import type { ApiDeps } from '../deps.ts';
import { currentJob } from './answers.ts';

/** `pending`: the audio is still being downloaded; `silent`: there is none, as in a post that has only photos. */
export interface NothingToLabel {
  readonly kind: 'pending' | 'silent';
  readonly audio: DownloadRecord;
}

/** An audio whose speakers can be told apart. */
export interface AudioToLabel {
  readonly kind: 'ready';
  readonly audio: SuccessRecord;
  readonly file: PublishedFile;
}

/**
 * The audio that a record is, as it is now, or when its download has ended, if that is within the time.
 *
 * @throws ApiError `not_found` for what is no audio download, `audio_failed`
 */
export async function labelledAudio(
  deps: ApiDeps,
  record: DownloadRecord | undefined,
  waitMs: number,
): Promise<AudioToLabel | NothingToLabel> {
  if (record?.type !== 'audio' && record?.type !== 'imgnet_audio') {
    throw new ApiError('not_found', 'There is no audio and no transcript with this id.');
  }
  const { record: audio } = await currentJob(deps, record, waitMs);
  if (audio.status === 'pending') return { kind: 'pending', audio };
  if (audio.status === 'failed') {
    throw new ApiError('audio_failed', `The audio could not be downloaded: ${audio.failure.message}`, { id: audio.id });
  }
  const [file] = audio.files;
  return file === undefined ? { kind: 'silent', audio } : { kind: 'ready', audio, file };
}

import { audioResultSchema } from '../../contract/kinds/audio.ts';
import { speakerLabelsResultSchema } from '../../contract/kinds/speaker-labels.ts';
import { createService } from '../call-service.ts';

/** A dialogue of 18 s, long enough to distinguish the voices and quickly transcribed. */
export const TALK = 'The new bridge opens in June';

/** Requests speaker labels of a video. @returns the address of the page in the console that shows them */
export async function transcribeTalk(restUrl: string, videoId: string, signal: AbortSignal): Promise<string> {
  const patient = createService(restUrl, signal, { Prefer: 'wait=60' });
  const { body: fetched } = await patient('/api/downloads/audio', audioResultSchema, { vidnet_video_id: videoId });
  const audio = fetched.data;
  const service = createService(restUrl, signal);
  const request = { transcript_with_speaker_id: audio.transcript_speaker_id };
  const { body } = await service('/api/transcriptspeakerid', speakerLabelsResultSchema, request);
  const jobId = 'download_id' in body ? body.download_id : undefined;
  return `${restUrl}/console/jobs/${jobId ?? audio.id}`;
}

import { audioResultSchema } from '../../contract/kinds/audio.ts';
import { speakerLabelsResultSchema } from '../../contract/kinds/speaker-labels.ts';
import { createService } from '../call-service.ts';

/** A talk of two, 18 s: long enough to tell their voices apart, and soon transcribed. */
export const TALK = 'The new bridge opens in June';

/**
 * Has the service find out who says what in a video, so that there is something to look at.
 *
 * @returns the address of the page in the console on which that appears
 * @throws when the service refuses
 */
export async function transcribeTalk(restUrl: string, videoId: string, signal: AbortSignal): Promise<string> {
  const patient = createService(restUrl, signal, { Prefer: 'wait=60' });
  const asked = await patient('/api/downloads/audio', audioResultSchema, { vidnet_video_id: videoId });
  const audio = asked.body.data;
  const service = createService(restUrl, signal);
  const request = { transcript_with_speaker_id: audio.transcript_speaker_id };
  const { body } = await service('/api/transcriptspeakerid', speakerLabelsResultSchema, request);
  const jobId = 'download_id' in body ? body.download_id : undefined;
  // The page of the audio offers the rest.
  return `${restUrl}/console/jobs/${jobId ?? audio.id}`;
}

import { createDeliverActivity, type DeliverDeps } from './deliver-webhook.ts';
import { createFetchAudioActivity, type FetchDeps } from './fetch-audio.ts';
import { createChannelActivities, type ChannelDeps } from './fetch-channel.ts';
import { createTranscriptActivities, type TranscriptDeps } from './fetch-transcript.ts';
import { createImgnetAudioActivity, type ImgnetAudioDeps } from './fetch-imgnet-audio.ts';
import { createImgnetContentActivity, type ImgnetContentDeps } from './fetch-imgnet-content.ts';
import { createImgnetListActivity, type ImgnetListDeps } from './fetch-imgnet-list.ts';
import { createImgnetProfileActivity, type ImgnetProfileDeps } from './fetch-imgnet-profile.ts';
import { createFetchVideoActivity } from './fetch-video.ts';
import { createSnapshotActivities, type TriggerDeps } from './imgnet-snapshots.ts';
import { createKnownPostActivities } from './known-posts.ts';
import { createOwnerActivities, type OwnerDeps } from './owner-profile.ts';
import { createSpeechActivities, createSpeechRemains, type SpeechDeps } from './speaker-labels.ts';
import { createRecordActivities, type RecordDeps } from './records.ts';
import { createRetentionActivities, type RetentionDeps } from './retention.ts';
import { createPermitActivities, type PermitDeps } from './permits.ts';

/** Light activities, on the queue of the workflows. */
export type RecordActivities = ReturnType<typeof createLightActivities>;
/** Calls of the platforms, on a queue of their own: a few slots a worker. */
export type FetchActivities = ReturnType<typeof createFetchActivities>;
/** Transcription with speaker labels, on a queue of its own: a few slots a worker. */
export type SpeechActivities = ReturnType<typeof createSpeechActivities>;
/** Webhooks, on a queue of their own: a slow receiver must not hold up a record. */
export type DeliverActivities = ReturnType<typeof createDeliverActivity>;

type FetchActivityDeps = FetchDeps &
  TranscriptDeps &
  ChannelDeps &
  TriggerDeps &
  ImgnetListDeps &
  ImgnetProfileDeps &
  ImgnetContentDeps &
  ImgnetAudioDeps;
type LightActivityDeps = RecordDeps & OwnerDeps & RetentionDeps & Pick<SpeechDeps, 'contents' | 'speechAudio'>;

function createLightActivities(deps: LightActivityDeps) {
  return {
    ...createRecordActivities(deps),
    ...createKnownPostActivities(deps),
    ...createOwnerActivities(deps),
    ...createSpeechRemains(deps),
    ...createRetentionActivities(deps),
  };
}

function createFetchActivities(deps: FetchActivityDeps) {
  return {
    ...createFetchAudioActivity(deps),
    ...createFetchVideoActivity(deps),
    ...createTranscriptActivities(deps),
    ...createChannelActivities(deps),
    ...createSnapshotActivities(deps),
    ...createImgnetProfileActivity(deps),
    ...createImgnetListActivity(deps),
    ...createImgnetContentActivity(deps),
    ...createImgnetAudioActivity(deps),
  };
}

/** All activities, grouped by the task queue that runs them. */
export function createActivities(deps: LightActivityDeps & PermitDeps & FetchActivityDeps & SpeechDeps & DeliverDeps) {
  return {
    records: { ...createLightActivities(deps), ...createPermitActivities(deps) },
    fetch: createFetchActivities(deps),
    speech: createSpeechActivities(deps),
    deliver: createDeliverActivity(deps),
  };
}

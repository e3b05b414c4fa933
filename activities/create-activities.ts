import { createDeliverActivity } from './deliver-webhook.ts';
import { createFetchAudioActivity } from './fetch-audio.ts';
import { createChannelActivities } from './fetch-channel.ts';
import { createTranscriptActivities } from './fetch-transcript.ts';
import { createImgnetAudioActivity } from './fetch-imgnet-audio.ts';
import { createImgnetContentActivity } from './fetch-imgnet-content.ts';
import { createImgnetListActivity } from './fetch-imgnet-list.ts';
import { createImgnetProfileActivity } from './fetch-imgnet-profile.ts';
import { createFetchVideoActivity } from './fetch-video.ts';
import { createSnapshotActivities } from './imgnet-snapshots.ts';
import { createKnownPostActivities } from './known-posts.ts';
import { createOwnerActivities } from './owner-profile.ts';
import { createPermitActivities } from './permits.ts';
import { createRecordActivities } from './records.ts';
import { createRetentionActivities } from './retention.ts';
import { createSpeechActivities, createSpeechRemains } from './speaker-labels.ts';

/** All activities, by the task queue that runs them. A new one is a row here, and one in inputs.ts. */
const CREATORS = {
  /** Light ones, on the queue of the workflows. */
  records: [
    createRecordActivities,
    createKnownPostActivities,
    createOwnerActivities,
    createSpeechRemains,
    createRetentionActivities,
    createPermitActivities,
  ],
  /** Calls of the platforms: a few slots a worker. */
  fetch: [
    createFetchAudioActivity,
    createFetchVideoActivity,
    createTranscriptActivities,
    createChannelActivities,
    createSnapshotActivities,
    createImgnetProfileActivity,
    createImgnetListActivity,
    createImgnetContentActivity,
    createImgnetAudioActivity,
  ],
  /** Transcription with speaker labels: a few slots a worker. */
  speech: [createSpeechActivities],
  /** Webhooks: a slow receiver must not hold up a record. */
  deliver: [createDeliverActivity],
} as const;

type Creators = typeof CREATORS;
type CreatorOf<Queue extends keyof Creators> = Creators[Queue][number];
/** All of them at once: what stands where a function takes something is joined by `&`. */
type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

type ActivitiesOf<Queue extends keyof Creators> = Joined<ReturnType<CreatorOf<Queue>>>;
export type Activities = { readonly [Queue in keyof Creators]: ActivitiesOf<Queue> };
export type RecordActivities = Activities['records'];
export type FetchActivities = Activities['fetch'];
export type SpeechActivities = Activities['speech'];
export type DeliverActivities = Activities['deliver'];

export function createActivities(deps: Joined<Parameters<CreatorOf<keyof Creators>>[0]>): Activities {
  const ofQueue = <Queue extends keyof Creators>(queue: Queue): ActivitiesOf<Queue> => {
    const creators: readonly ((all: typeof deps) => object)[] = CREATORS[queue];
    return Object.assign({}, ...creators.map((create) => create(deps))) as ActivitiesOf<Queue>;
  };
  return {
    records: ofQueue('records'),
    fetch: ofQueue('fetch'),
    speech: ofQueue('speech'),
    deliver: ofQueue('deliver'),
  };
}

import { z } from 'zod';
import type { InputSchemas } from '../runtime/inputs/check-input.ts';
import { jobSchema } from '../contract/kinds/job-inputs.ts';
import { deliverySchema, failureCodeSchema, keptRemovalSchema, removalSchema } from '../runtime/inputs/input-fields.ts';
import {
  accountSchema,
  daySchema,
  postSchema,
  shortcodeSchema,
  storedCountSchema,
  thousandthsSchema,
  workflowIdSchema,
} from '../contract/job-schema.ts';
import { batchStatuses, PAUSES, type PauseReason } from '../contract/batches/batch-state.ts';
import { batchItemSchema } from '../contract/batches/batch-item.ts';
import { channelReferenceSchema } from '../contract/kinds/channel.ts';
import { listParametersSchema } from '../contract/kinds/imgnet-list-job.ts';
import { mediaInfoIdSchema, mediaInfoPageSchema } from '../contract/kinds/media-info.ts';
import { mediaIdSchema, mediaPageSchema } from '../contract/kinds/media.ts';
import { uploadNameSchema, uploadTypeSchema } from '../contract/kinds/upload.ts';
import { speakerLabelsParametersSchema } from '../contract/kinds/speaker-labels.ts';
import { fileNameSchema, ulidSchema, vidnetVideoIdSchema } from '../contract/ids.ts';
import { captionsOrderSchema } from '../contract/kinds/transcript-request.ts';
import { batchStepSchema, createBatchActivities } from './batches/advance-batch.ts';
import { createBatchListing } from './batches/list-batch.ts';
import { createNewEntries } from './subscriptions/find-new-entries.ts';
import { createSubscriptionChecks } from './subscriptions/subscription-checks.ts';
import { createDeliverActivity } from './deliver-webhook.ts';
import { createChannelActivities, createListingWaits } from './channel.ts';
import { createTranscriptActivities } from './transcript.ts';
import { createImgnetMediaActivities } from './imgnet-media.ts';
import { createContentActivity } from './imgnet-content.ts';
import { createListActivity } from './imgnet-list.ts';
import { createAudioActivity, createMediaActivity, createVideoActivity } from './media.ts';
import { createMediaInfoActivity } from './media-info.ts';
import { createProfileActivity } from './imgnet-profile.ts';
import { createUploadActivity, createUploadRemoval } from './upload.ts';
import { createSnapshotActivities } from './imgnet-snapshots.ts';
import { createAwaitedAudioActivities } from './awaited-audio.ts';
import { createSpokenTranscriptActivities } from './spoken-transcript.ts';
import { createNexusRequestActivities } from './nexus-request-activities.ts';
import { createOwnerActivities } from './owner-profile-activities.ts';
import { createBreakerActivities } from '../pacing/breakers.ts';
import { createRecordActivities } from './job-records.ts';
import { createRetentionActivities } from './retention.ts';
import { createSpeechActivities, createSpeechRemains } from './speaker-labels.ts';

/** All activities, by the task queue that runs them. A new one needs a row here and its input below. */
const CREATORS = {
  /** Short activities, on the queue of the workflows. */
  records: [
    createRecordActivities,
    createBatchActivities,
    createSubscriptionChecks,
    // For profiles, whose posts and reels other jobs collect.
    createBatchListing,
    createNewEntries,
    createOwnerActivities,
    createAwaitedAudioActivities,
    createSpokenTranscriptActivities,
    createNexusRequestActivities,
    createListingWaits,
    createSpeechRemains,
    createUploadRemoval,
    createRetentionActivities,
    createBreakerActivities,
  ],
  /** Calls of the platforms, with a few slots per worker. */
  fetch: [
    createAudioActivity,
    createVideoActivity,
    createMediaActivity,
    createMediaInfoActivity,
    createBatchListing,
    createNewEntries,
    createUploadActivity,
    createTranscriptActivities,
    createChannelActivities,
    createSnapshotActivities,
    createContentActivity,
    createListActivity,
    createProfileActivity,
    createImgnetMediaActivities,
  ],
  /** Transcription with speaker labels, with a few slots per worker. */
  speech: [createSpeechActivities],
  /** Webhooks, on an own queue so that a slow receiver delays no record. */
  deliver: [createDeliverActivity],
} as const;

type Creators = typeof CREATORS;
type CreatorOf<Queue extends keyof Creators> = Creators[Queue][number];
/** Joins the members of a union by `&`. */
type Joined<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

type ActivitiesOf<Queue extends keyof Creators> = Joined<ReturnType<CreatorOf<Queue>>>;
export type Activities = { readonly [Queue in keyof Creators]: ActivitiesOf<Queue> };

export function createActivities(deps: Joined<Parameters<CreatorOf<keyof Creators>>[0]>): Activities {
  const queues = Object.entries<readonly ((all: typeof deps) => object)[]>(CREATORS).map(([queue, creators]) => [
    queue,
    Object.assign({}, ...creators.map((create) => create(deps))) as object,
  ]);
  return Object.fromEntries(queues) as Activities;
}

const one = <Input extends z.ZodType>(input: Input) => z.tuple([input]);

const ofSubscription = z.object({ subscriptionId: ulidSchema });
const seconds = z.number().min(0);
const media = z.object({ recordId: ulidSchema, mediaId: vidnetVideoIdSchema });
const postMedia = z.object({ recordId: ulidSchema, contentsId: ulidSchema, shortcode: shortcodeSchema });
const part = z.string().regex(/^[a-z]{1,20}(?:-\d{1,3})?$/);
const started = z.object({ recordId: ulidSchema, part, snapshotId: z.string().regex(/^[\w-]{1,100}$/) });
const snapshot = started.extend({ isEmpty: z.boolean() });
const speech = speakerLabelsParametersSchema.omit({ awaits: true }).extend({ recordId: ulidSchema });
const engine = z.string().min(1).max(100);
const engineKey = z.string().min(1).max(100);

const order = z.object({
  recordId: ulidSchema,
  part,
  request: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('profile'), account: accountSchema }),
    z.object({
      kind: z.enum(['posts', 'reels']),
      account: accountSchema,
      sinceDate: daySchema.exactOptional(),
    }),
    postSchema,
  ]),
});

const result = z.object({
  title: z.string().max(300).exactOptional(),
  durationSeconds: seconds.exactOptional(),
  files: z
    .array(
      z.object({
        name: fileNameSchema,
        sizeBytes: storedCountSchema,
        sha256: z.string(),
        isSilence: z.literal(true).exactOptional(),
      }),
    )
    .exactOptional(),
  lists: z.record(z.string(), z.object({ pieces: storedCountSchema, items: storedCountSchema })).exactOptional(),
  contentsOf: z.string().min(1).max(100).exactOptional(),
  mediaId: z.string().min(1).max(1000).exactOptional(),
  charge: thousandthsSchema.exactOptional(),
});
const failure = z.object({ code: failureCodeSchema, message: z.string() });
const outcome = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success'), result }),
  z.object({ status: z.literal('failed'), failure }),
]);

type AllActivities = Activities['records'] & Activities['fetch'] & Activities['speech'] & Activities['deliver'];

/** The input of each activity. Values become paths, URLs and IDs, so they are checked. */
export const activityInputs = {
  acceptNexusRequest: one(z.object({ recordId: ulidSchema, request: batchItemSchema })),
  advanceBatch: one(batchStepSchema),
  attemptDelivery: one(deliverySchema.extend({ attempt: z.int().min(1), isLast: z.boolean() })),
  awaitAudio: one(z.object({ recordId: ulidSchema, audioId: ulidSchema })),
  awaitNexusRecord: one(ulidSchema),
  awaitOtherListing: one(workflowIdSchema),
  awaitOwnerProfile: one(workflowIdSchema),
  awaitSpeech: one(z.object({ recordId: ulidSchema, speechId: ulidSchema })),
  beginBatch: one(z.object({ batchId: ulidSchema, isRetry: z.boolean() })),
  beginCheck: one(ofSubscription),
  beginJob: one(jobSchema),
  beginSpeech: one(ulidSchema),
  closeCheck: one(ofSubscription),
  cancelNexusJob: one(ulidSchema),
  clearSpeech: one(ulidSchema),
  collectSnapshot: one(order),
  describeChannel: one(
    z.object({ recordId: ulidSchema, subjectId: workflowIdSchema, channel: channelReferenceSchema }),
  ),
  discardUpload: one(ulidSchema),
  endCheck: one(ofSubscription.extend({ failure: failure.exactOptional() })),
  fetchAudio: one(media),
  fetchComments: one(media),
  fetchImgnetAudio: one(postMedia),
  fetchImgnetFiles: one(postMedia),
  fetchMedia: one(z.object({ recordId: ulidSchema, mediaId: mediaIdSchema, page: mediaPageSchema })),
  fetchTranscript: one(captionsOrderSchema),
  fetchVideo: one(media),
  findNewEntries: one(ofSubscription),
  findFreshContent: one(shortcodeSchema),
  finishJob: one(z.object({ recordId: ulidSchema, outcome, price: thousandthsSchema })),
  hasFetchedProfile: one(ulidSchema),
  ingestUpload: one(
    z.object({ recordId: ulidSchema, mediaId: ulidSchema, title: uploadNameSchema, contentType: uploadTypeSchema }),
  ),
  labelSpeakers: one(
    speech.extend({
      ...{ windows: storedCountSchema, durationSeconds: seconds, engine, engineKey },
    }),
  ),
  leaveAudio: one(ulidSchema),
  listBatch: one(z.object({ batchId: ulidSchema })),
  listChannel: one(z.object({ recordId: ulidSchema })),
  planOwnerProfile: one(z.object({ account: accountSchema, paidBy: ulidSchema, version: z.int().min(1) })),
  prepareSpeech: one(speech),
  readMediaInfo: one(z.object({ recordId: ulidSchema, mediaId: mediaInfoIdSchema, page: mediaInfoPageSchema })),
  setBatchStatus: one(
    z.object({
      ...{ batchId: ulidSchema, status: z.enum(batchStatuses), failure: failure.exactOptional() },
      pause: z.enum(Object.keys(PAUSES) as [PauseReason, ...PauseReason[]]).exactOptional(),
    }),
  ),
  storeContent: one(z.object({ snapshot, post: postSchema })),
  storeList: one(listParametersSchema.extend({ snapshot, account: accountSchema })),
  storeProfile: one(z.object({ snapshot, account: accountSchema })),
  refusalOf: one(z.object({ route: z.string().min(1).max(300) })),
  sweepKept: one(keptRemovalSchema),
  sweepFiles: one(removalSchema.extend({ after: z.string().max(2000).exactOptional() })),
  sweepLeftovers: z.tuple([]),
  transcribeWindow: one(speech.extend({ number: z.int().min(1), engine, engineKey })),
} satisfies InputSchemas<AllActivities>;

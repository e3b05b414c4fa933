import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { activityInputs } from '../../activities/create-activities.ts';
import { workflowBench } from '../helpers/workflow-bench.ts';
import { ENGINE_KEY } from '../helpers/workflow-harness.ts';
import type { FakeActivities } from '../helpers/workflow-run.ts';
import { failureFor } from '../../contract/failures.ts';
import { JOB_VERSION } from '../../contract/job-input.ts';
import { routeNamesOf } from '../../pacing/routes.ts';
import type * as workflows from '../../workflows/index.ts';
import { kindSamples } from '../helpers/kind-samples.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';

/** What each workflow hands to its activities, all of it and in its order. */

type Activity = keyof typeof activityInputs;
type Step = readonly [activity: Activity, ...args: unknown[]];
interface StepsOf {
  /** What is special about it. */
  readonly of?: string;
  readonly input: object;
  /** What the activities say, one after the other; what is not named here says the {@link usualAnswer}. */
  readonly answers?: Partial<Record<Activity, readonly unknown[]>>;
  readonly steps: readonly Step[];
}

const recordId = ulid();
const owner = { recordId: ulid(), account: `tea.${recordId.toLowerCase()}` };
const videoId = 'kX3vQ9mTz0A';
const url = 'https://example.com/hook';
const result = { durationSeconds: 12, files: [{ name: 'a.m4a', sizeBytes: 1, sha256: 'x' }] };
const post = { kind: 'reel', shortcode: 'DAbCdEfGhIj' } as const;
const channel = { kind: 'handle', name: 'evening-talks' } as const;
const labels = { audioId: ulid(), language: 'en', minSpeakers: 2, maxSpeakers: 3 };
const prepared = { windows: 1, durationSeconds: 700, engine: 'sherpa', engineKey: ENGINE_KEY };
const starter = { chargedTo: '0123456789abcdef', startedBy: '0123456789abcdef', webhookUrl: url };

const aJob = (type: string, mediaId: string, parameters?: object) => ({
  ...{
    version: JOB_VERSION,
    startedBy: 'anonymous',
    recordId,
    type,
    subjectId: `${type}/${recordId}`,
    mediaId,
    price: 15,
  },
  ...{ createdAt: '2026-11-21T09:30:00.123456Z', ...(parameters && { parameters }) },
});
const ended = (result: object, of = recordId): Step => [
  'finishJob',
  { recordId: of, price: 15, outcome: { status: 'success', result } },
];
const snapshot = (part: string, of = recordId) => ({ recordId: of, part, snapshotId: `s_${part}`, isEmpty: false });

/** @param order the argument of the activity */
function usualAnswer(activity: string, order: unknown): unknown {
  if (activity === 'beginJob') return { routes: routeNamesOf(routesWith(GENEROUS)) };
  if (activity === 'attemptDelivery') return 'delivered';
  if (activity !== 'collectSnapshot') return {};
  const { recordId: of, part } = order as { readonly recordId: string; readonly part: string };
  return snapshot(part, of);
}

const audioJob = { ...aJob('audio', videoId), ...starter };
const transcriptJob = aJob('captions', videoId, { language: 'pt-BR', includeComments: true });
const captionsJob = aJob('captions', videoId, { language: 'pt-BR', includeComments: false });
const speechId = ulid();
const spokenPage = { url: 'https://media.example/talk', site: 'media.example' };
const spokenWanted = { language: 'pt-BR', languages: ['pt-BR', 'en'], mode: 'auto', page: spokenPage };
const spokenJob = aJob('captions', videoId, {
  ...{ ...spokenWanted, includeComments: false, speechId, url: spokenPage.url },
});
const channelJob = aJob('list', '@evening-talks', { channel });
const profileRequest = { kind: 'profile', account: owner.account } as const;
const profileJob = aJob('imgnet_profile', owner.account);
const ownerJob = { ...aJob('imgnet_profile', owner.account, { paidBy: recordId }), recordId: owner.recordId, price: 0 };
const contentJob = aJob('imgnet_post', post.shortcode, { post, profilePrice: 10 });
const bounds = { sinceDate: '2026-11-14', since: '2026-11-14T23:59:30.250Z', postsCount: 62, otherId: ulid() };
const listRequest = { kind: 'reels', account: 'tea', sinceDate: bounds.sinceDate };
const listJob = aJob('imgnet_list_reels', 'tea', { part: 'reels', ...bounds });
const postAudioJob = aJob('imgnet_audio', post.shortcode, { post });
const labelsJob = aJob('speaker_labels', videoId, labels);
const file = { title: 'talk.wav', contentType: 'audio/wav' };
const uploadJob = aJob('upload', recordId, file);
const delivery = { deliveryId: `webhook/${recordId}/7`, recordId, url, subscribedBy: ['anonymous'], firstAttempt: 5 };
const delivered: StepsOf = {
  input: delivery,
  steps: [['attemptDelivery', { ...delivery, attempt: 5, isLast: false }]],
};
const comments = { lists: { comments: { pieces: 1, items: 2 } } };
const swept = { seen: 1, expired: 1, orphans: 0 };
const look = (running: number, isOver: boolean) => ({
  ...{ running, changed: 1, isOver },
});
const made = { state: 'made', result };
const nexusRequest = { recordId, request: { operation: 'requestAudio', vidnet_video_id: videoId } };
const confirmedBy = 'the operator';

type Workflow = keyof typeof workflows;
type Sampled = (typeof kindSamples)[number]['workflow'];
const own: Readonly<Record<Exclude<Workflow, Sampled>, StepsOf>> = {
  audio: {
    of: ' with a webhook',
    input: audioJob,
    answers: { fetchAudio: [result] },
    steps: [
      ['beginJob', audioJob],
      ['fetchAudio', { recordId, mediaId: videoId }],
      ended(result),
      [
        'attemptDelivery',
        {
          ...{ deliveryId: `webhook/${recordId}/1`, recordId, url, subscribedBy: [starter.startedBy] },
          ...{ attempt: 1, isLast: false },
        },
      ],
    ],
  },
  transcript: {
    of: ' with comments',
    input: transcriptJob,
    answers: { fetchTranscript: [{ durationSeconds: 12 }], fetchComments: [comments] },
    steps: [
      ['beginJob', transcriptJob],
      ['fetchTranscript', { recordId, mediaId: videoId, language: 'pt-BR' }],
      ['fetchComments', { recordId, mediaId: videoId }],
      ended({ durationSeconds: 12, ...comments }),
    ],
  },
  channel: {
    of: ' that another job lists at first',
    input: channelJob,
    answers: { describeChannel: [{ channelId: 'UC1', heldBy: 'list/UC1' }, { channelId: 'UC1' }] },
    steps: [
      ['beginJob', channelJob],
      ['describeChannel', { recordId, subjectId: channelJob.subjectId, channel }],
      ['awaitOtherListing', 'list/UC1'],
      ['describeChannel', { recordId, subjectId: channelJob.subjectId, channel }],
      ['listChannel', { recordId }],
      ended({}),
    ],
  },
  imgnetProfile: {
    input: profileJob,
    steps: [
      ['beginJob', profileJob],
      ['collectSnapshot', { recordId, part: 'profile', request: profileRequest }],
      ['storeProfile', { snapshot: snapshot('profile'), account: owner.account }],
      ended({}),
    ],
  },
  imgnetContent: {
    of: ' with the profile of its owner',
    input: contentJob,
    answers: {
      storeContent: [{ account: owner.account }],
      planOwnerProfile: [ownerJob],
      hasFetchedProfile: [true],
    },
    steps: [
      ['beginJob', contentJob],
      ['collectSnapshot', { recordId, part: 'content', request: post }],
      ['storeContent', { snapshot: snapshot('content'), post }],
      ['planOwnerProfile', { account: owner.account, paidBy: recordId, version: JOB_VERSION }],
      ['beginJob', ownerJob],
      ['collectSnapshot', { recordId: owner.recordId, part: 'profile', request: profileRequest }],
      ['storeProfile', { snapshot: snapshot('profile', owner.recordId), account: owner.account }],
      ['finishJob', { recordId: owner.recordId, price: 0, outcome: { status: 'success', result: {} } }],
      ['hasFetchedProfile', owner.recordId],
      ended({ charge: 15 }),
    ],
  },
  imgnetList: {
    input: listJob,
    steps: [
      ['beginJob', listJob],
      ['collectSnapshot', { recordId, part: 'reels', request: listRequest }],
      ['storeList', { snapshot: snapshot('reels'), account: 'tea', part: 'reels', ...bounds }],
      ended({}),
    ],
  },
  imgnetAudio: {
    of: ' whose links have expired',
    input: postAudioJob,
    answers: {
      findFreshContent: [owner.recordId],
      storeContent: [{ account: 'tea' }],
      fetchImgnetAudio: [{ state: 'stale', failure: failureFor('mediaLinksExpired') }, made],
    },
    steps: [
      ['beginJob', postAudioJob],
      ['findFreshContent', post.shortcode],
      ['fetchImgnetAudio', { recordId, contentsId: owner.recordId, shortcode: post.shortcode }],
      ['collectSnapshot', { recordId, part: 'content-1', request: post }],
      ['storeContent', { snapshot: snapshot('content-1'), post }],
      ['fetchImgnetAudio', { recordId, contentsId: recordId, shortcode: post.shortcode }],
      ended(result),
    ],
  },
  speakerLabels: {
    input: labelsJob,
    answers: { prepareSpeech: [prepared] },
    steps: [
      ['beginJob', labelsJob],
      ['prepareSpeech', { recordId, ...labels }],
      ['transcribeWindow', { recordId, ...labels, number: 1, engine: 'sherpa', engineKey: ENGINE_KEY }],
      ['labelSpeakers', { recordId, ...labels, ...prepared }],
      ['clearSpeech', recordId],
      ended({ charge: 15 }),
    ],
  },
  upload: {
    input: uploadJob,
    answers: { ingestUpload: [result] },
    steps: [
      ['beginJob', uploadJob],
      ['ingestUpload', { recordId, mediaId: recordId, ...file }],
      ['discardUpload', recordId],
      ended(result),
    ],
  },
  batch: {
    of: ' with a webhook',
    input: { batchId: recordId, startedBy: 'anonymous', end: 1, webhookUrl: url },
    answers: { beginBatch: [undefined], advanceBatch: [look(1, false), look(0, true)] },
    steps: [
      ['beginBatch', { batchId: recordId, isRetry: false }],
      ['advanceBatch', { batchId: recordId, mode: 'start', isThorough: false }],
      ['advanceBatch', { batchId: recordId, mode: 'start', isThorough: false }],
      ['setBatchStatus', { batchId: recordId, status: 'finished' }],
      [
        'attemptDelivery',
        {
          ...{ deliveryId: `webhook/${recordId}/1`, recordId, url, subscribedBy: ['anonymous'] },
          ...{ attempt: 1, isLast: false },
        },
      ],
    ],
  },
  checkSubscription: {
    input: { subscriptionId: recordId },
    answers: {
      beginCheck: [{ url, use: 'vidnet-page', startedBy: 'anonymous', routes: routeNamesOf(routesWith(GENEROUS)) }],
    },
    steps: [
      ['beginCheck', { subscriptionId: recordId }],
      ['findNewEntries', { subscriptionId: recordId }],
      ['endCheck', { subscriptionId: recordId }],
    ],
  },
  deliverWebhook: delivered,
  nexusRequest: {
    input: nexusRequest,
    answers: { acceptNexusRequest: [speechId] },
    steps: [
      ['acceptNexusRequest', nexusRequest],
      ['awaitNexusRecord', speechId],
    ],
  },
  retention: {
    input: { retentionDays: 30, keepDays: { contents: 365 }, confirmedBy },
    answers: {
      sweepFiles: [{ ...swept, next: 'file' }, swept],
      sweepKept: [{ removed: 1, next: 'id' }, { removed: 1 }],
    },
    steps: [
      ['sweepFiles', { retentionDays: 30, confirmedBy }],
      ['sweepFiles', { retentionDays: 30, confirmedBy, after: 'file' }],
      ['sweepLeftovers'],
      ['sweepKept', { kind: 'contents', days: 365, confirmedBy }],
      ['sweepKept', { kind: 'contents', days: 365, confirmedBy, after: 'id' }],
    ],
  },
};

/** Of all workflows, of some in more than one way. */
const stepsOfWorkflows: readonly (readonly [Workflow, StepsOf])[] = [
  ...(Object.entries(own) as [Workflow, StepsOf][]),
  ...kindSamples.map(({ workflow, job, activity, order }): [Workflow, StepsOf] => {
    const input = { ...job, recordId: order.recordId, mediaId: order.mediaId, price: 15 };
    const steps: Step[] = [['beginJob', input], [activity, order], ended(result, order.recordId)];
    return [workflow, { input, answers: { [activity]: [result] }, steps }];
  }),

  [
    'transcript',
    {
      of: ' without comments',
      input: captionsJob,
      answers: { fetchTranscript: [{ durationSeconds: 12 }] },
      steps: [
        ['beginJob', captionsJob],
        ['fetchTranscript', { recordId, mediaId: videoId, language: 'pt-BR' }],
        ended({ durationSeconds: 12 }),
      ],
    },
  ],
  [
    'transcript',
    {
      of: ' of what is spoken on a page',
      input: spokenJob,
      answers: {
        fetchTranscript: [{ isMissing: true }],
        beginSpeech: [{ job: { recordId: speechId, subjectId: `speaker_labels/${speechId}` } }],
        awaitSpeech: [{ result: { charge: 0 } }],
      },
      steps: [
        ['beginJob', spokenJob],
        ['fetchTranscript', { recordId, mediaId: videoId, ...spokenWanted }],
        ['beginSpeech', recordId],
        ['awaitSpeech', { recordId, speechId }],
        ended({ charge: 0 }),
      ],
    },
  ],
];

// Workers of the release before read what workflows hand to activities too, and refuse what they do not know. A replay does not
// compare arguments.

const { withService } = workflowBench('real');
const cases = stepsOfWorkflows.map(([workflow, known]) => [workflow, known.of ?? '', known] as const);

/** Activities with all names that record their arguments. */
function noting(answers: StepsOf['answers'] = {}) {
  const steps: unknown[][] = [];
  const left = new Map(Object.entries(answers).map(([activity, all]) => [activity, [...all]]));
  const noted = Object.keys(activityInputs).map((activity) => [
    activity,
    (...args: readonly unknown[]) => {
      steps.push([activity, ...args]);
      return Promise.resolve(left.has(activity) ? left.get(activity)?.shift() : usualAnswer(activity, args[0]));
    },
  ]);
  const all = Object.fromEntries(noted) as object;
  const activities: FakeActivities = { records: all, fetch: all, speech: all, deliver: all };
  return { activities, steps };
}

it.each(cases)('%s%s calls its activities with the known arguments', async (workflow, _of, known) => {
  const { activities, steps } = noting(known.answers);
  await withService({ activities, engineKey: ENGINE_KEY }, async (client, taskQueue) => {
    const args = [known.input];
    await client.workflow.execute(workflow, { workflowId: `${workflow}/${ulid()}`, taskQueue, args });
    // Nobody waits for a job's webhook, which is a workflow of its own.
    const [, order] = known.steps.find(([activity]) => activity === 'attemptDelivery') ?? [];
    if ('webhookUrl' in known.input) {
      await client.workflow.getHandle((order as { readonly deliveryId: string }).deliveryId).result();
    }
  });
  expect(steps).toStrictEqual(known.steps);
});

// npm run record-histories: runs each way that a workflow can take and keeps its history, for the replay test. Run it
// when workflows get a new path, with the names of the new histories: `npm run record-histories -- NAME…`. Never record one anew
// to make a replay test pass that fails: running jobs have the old history.
import { PREPARED } from '../helpers/workflow-harness.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { ulid } from 'ulid';
import { toApplicationFailure } from '../../activities/to-application-failure.ts';
import { failureFor, type FailureCode } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';
import type { ChannelJob } from '../../contract/kinds/channel.ts';
import type { ContentJob } from '../../contract/kinds/imgnet-content.ts';
import { JOB_VERSION, type JobInput } from '../../contract/job-input.ts';
import type { ListJob } from '../../contract/kinds/imgnet-list-job.ts';
import type { PostAudioJob } from '../../contract/kinds/imgnet-audio.ts';
import type { SpeakerLabelsJob } from '../../contract/kinds/speaker-labels.ts';
import { postSubjectOf, speakerLabelsSubjectOf, subjectIdOf } from '../../contract/kinds/subjects.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { temporalCli as temporalTool } from '../../local/engines/temporal-cli.ts';
import { registerSearchAttributes } from '../../runtime/temporal/search-attributes.ts';
import { imgnetAudio } from '../../workflows/jobs/imgnet-audio.ts';
import { imgnetContent } from '../../workflows/jobs/imgnet-content.ts';
import { imgnetList } from '../../workflows/jobs/imgnet-list.ts';
import { imgnetProfile } from '../../workflows/jobs/imgnet-profile.ts';
import type { ChannelLook } from '../../activities/channel.ts';
import { channel } from '../../workflows/jobs/channel.ts';
import { transcript } from '../../workflows/jobs/transcript.ts';
import { kindSamples } from '../helpers/kind-samples.ts';
import { aSpeakerLabelsJob, aTranscriptJob, anAudioJob } from '../helpers/jobs.ts';
import type { AwaitedAudio } from '../../activities/awaited-audio.ts';
import type { TranscriptParameters } from '../../contract/kinds/transcript-request.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { timeSkippingServer } from '../../local/engines/time-skipping.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import type { BatchAdvance } from '../../activities/batches/advance-batch.ts';
import { batch, type BatchInput } from '../../workflows/batches/run-batch.ts';
import type { CheckEnd } from '../../activities/subscriptions/subscription-checks.ts';
import { checkSubscription } from '../../workflows/subscriptions/check-subscription.ts';
import { nexusRequest } from '../../workflows/nexus-request.ts';
import { retention, type RetentionInput } from '../../workflows/retention.ts';
import { speakerLabels } from '../../workflows/jobs/speaker-labels.ts';
import type { UploadJob } from '../../contract/kinds/upload.ts';
import { media } from '../../workflows/jobs/media.ts';
import { upload } from '../../workflows/jobs/upload.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import type { JobEnd } from '../../workflows/lifecycle/job-outcome.ts';
import { deliverWebhook } from '../../workflows/webhooks/deliver-webhook.ts';
import { beginSignal, resumeSignal, subscribeSignal } from '../../workflows/lifecycle/messages.ts';
import { addSearchAttributes, withWorkers, type FakeActivities } from '../helpers/workflow-run.ts';
import { routeNamesOf } from '../../pacing/routes.ts';
import { GENEROUS, routesWith } from '../helpers/breakers.ts';
import { until } from '../helpers/until.ts';

const cacheDir = defaultCacheDir(process.env);
const say = (line: string): void => console.log(line);
const { value: server } = await ensure(timeSkippingServer({ env: process.env, cacheDir, log: say }), say);
const bundle = await loadWorkflows();
const result = { durationSeconds: 12, files: [{ name: 'a.m4a', sizeBytes: 1, sha256: 'x' }] };
const url = 'https://example.com/hook';

const obliging = {
  records: { claimJob: () => Promise.resolve('claimed' as const), finishJob: () => Promise.resolve() },
  fetch: both(() => Promise.resolve(result)),
  deliver: { attemptDelivery: () => Promise.resolve('delivered' as const) },
} satisfies FakeActivities;
const refusing = (code: FailureCode, times: number) =>
  both(() => (times-- > 0 ? Promise.reject(toApplicationFailure(new JobError({ code, message: code }))) : Promise.resolve(result)));
const untilCancelled = both(async () => {
  const context = Context.current();
  const beat = setInterval(() => context.heartbeat(), 100);
  await context.cancelled.finally(() => clearInterval(beat));
  return result;
});

const wanted = process.argv.slice(2);
await mkdir(import.meta.dirname, { recursive: true });
await jobHistory(audio, 'audio-success', { webhookUrl: url }, obliging);
await jobHistory(audio, 'audio-done-before', {}, { ...obliging, records: { ...obliging.records, claimJob: () => Promise.resolve('done') } });
await jobHistory(audio, 'audio-private', { webhookUrl: url }, { ...obliging, fetch: refusing('private', 1) });
await jobHistory(audio, 'audio-upstream-recovers', {}, { ...obliging, fetch: refusing('upstream_error', 2) });
await jobHistory(audio, 'audio-upstream-fails', {}, { ...obliging, fetch: refusing('upstream_error', 9) });
await jobHistory(audio, 'audio-parked', {}, { ...obliging, fetch: refusing('rate_limited', 2) });
await jobHistory(audio, 'audio-cancelled-while-parked', {}, { ...obliging, fetch: refusing('rate_limited', 9), isReal: true }, cancelWhileWaiting);
await jobHistory(audio, 'audio-no-space', {}, { ...obliging, fetch: refusing('disk_full', 2) });
await jobHistory(audio, 'audio-subscribed', {}, obliging, (handle) => handle.signal(subscribeSignal, url));
const inAMinute = { order: { notBefore: new Date(Date.now() + 60_000).toISOString() } };
await jobHistory(audio, 'audio-later', inAMinute, obliging);
await jobHistory(audio, 'audio-later-begun', inAMinute, obliging, (handle) => handle.signal(beginSignal));
await jobHistory(audio, 'audio-cancelled', { webhookUrl: url }, { ...obliging, fetch: untilCancelled }, (handle) => handle.cancel());
for (const { workflow, job, activity } of kindSamples) {
  const fetch = { [activity]: () => Promise.resolve(result) };
  await record(`${workflow}-success`, { ...obliging, fetch }, (env, taskQueue) =>
    env.client.workflow.start(workflow, { workflowId: job.subjectId, taskQueue, args: [{ ...job, webhookUrl: url }] }),
  );
}
await mediaHistory('media-awaited', [...[1, 1].map(() => ['not_started', Date.now() + 60_000] as [FailureCode, number]), ['live']]);
await transcriptHistory('transcript-with-comments');
await transcriptHistory('transcript-spoken', { mode: 'auto', speechId: ulid() });
await transcriptHistory('transcript-spoken-left', { mode: 'auto', speechId: ulid() }, cancelWhileWaiting);
await channelHistory('channel-listed', { channelId: 'UC1' });
await channelHistory('channel-known', { channelId: 'UC1', known: { contentsOf: 'another', charge: 0 } });
await speakerLabelsHistory('speaker-labels-success');
await speakerLabelsHistory('speaker-labels-failed', refuseWith('unsupported'));
await awaitedAudioHistory('speaker-labels-awaited', () => Promise.resolve({ price: 66 }));
await awaitedAudioHistory('speaker-labels-left', lookingAgain, cancelWhileWaiting);
await imgnetHistories();
await uploadHistory('upload-success', () => Promise.resolve(result));
await uploadHistory('upload-unreadable', refuseWith('unsupported'));
await deliveryHistory('webhook-delivered', obliging);
await deliveryHistory('webhook-abandoned', { ...obliging, deliver: { attemptDelivery: () => Promise.resolve('refused') } });
await deliveryHistory('webhook-forbidden', { ...obliging, deliver: { attemptDelivery: () => Promise.resolve('forbidden') } });
await deliveryHistory('webhook-delivered-again', { ...obliging, deliver: { attemptDelivery: ({ attempt }) => Promise.resolve(attempt < 6 ? 'refused' : 'delivered') } }, { firstAttempt: 5 });

await batchHistory('batch-finished', {}, [advanceWith(1), advanceWith(0, { isOver: true })]);
await batchHistory('batch-paused', { isRetry: true }, [advanceWith(0, { blocked: 'max_cost' }), advanceWith(0, { isOver: true })], (handle) => handle.signal(resumeSignal));
await checkHistory('check-quiet', {}, () => Promise.resolve());
await checkHistory('check-new', { batchId: ulid() }, () => Promise.resolve());
await checkHistory('check-given-up', { notice: 1 }, () => Promise.reject(toApplicationFailure(new JobError({ code: 'removed', message: 'Gone.' }))));
await batchHistory('batch-listed', {}, [advanceWith(0, { isOver: true })]);
await batchHistory('batch-cancelled', {}, [advanceWith(0, { blocked: 'max_cost' }), advanceWith(0, { isOver: true })], (handle) => handle.cancel());
const ofNexus = { acceptNexusRequest: () => Promise.resolve(ulid()), awaitNexusRecord: lookingAgain, cancelNexusJob: () => Promise.resolve() };
const nexusInput = { recordId: ulid(), request: { operation: 'requestAudio', vidnet_video_id: 'dQw4w9WgXcQ' } } as const;
await record('nexus-request-cancelled', { records: ofNexus, isReal: true }, async (env, taskQueue) =>
  cancelWhileWaiting(await env.client.workflow.start(nexusRequest, { workflowId: 'nexus/request', taskQueue, args: [nexusInput] })));
await retentionHistory('retention');
await retentionHistory('retention-kept', { keepDays: { contents: 30, failed: 90 }, confirmedBy: 'the operator' });

function both<Fetch>(fetch: Fetch): { fetchAudio: Fetch; fetchVideo: Fetch } {
  return { fetchAudio: fetch, fetchVideo: fetch };
}

/** A premiere that is late, and is a running broadcast before it can be fetched. */
async function mediaHistory(name: string, refusals: [FailureCode, number?][]): Promise<void> {
  const fetchMedia = () => {
    const [code, retryAtMs] = refusals.shift() ?? [];
    return code === undefined ? Promise.resolve(result) : Promise.reject(toApplicationFailure(new JobError({ code, message: code }, { retryAtMs })));
  };
  const page = { url: 'https://example.com/tea?v=1', format: 'video', options: { wait_for_start: true } } as const;
  const job = { ...anAudioJob({ webhookUrl: url }), type: 'media', mediaId: 'a'.repeat(32), parameters: { page } } as const;
  await record(name, { ...obliging, fetch: { fetchMedia } }, (env, taskQueue) => env.client.workflow.start(media, { workflowId: job.subjectId, taskQueue, args: [job] }));
}

async function transcriptHistory(
  name: string,
  more: Partial<TranscriptParameters> = {},
  meanwhile?: (handle: Handle) => Promise<unknown>,
): Promise<void> {
  const fetch = {
    fetchTranscript: () => Promise.resolve(more.mode === undefined ? { durationSeconds: 12 } : { isMissing: true as const }),
    fetchComments: () => Promise.resolve({ lists: { comments: { pieces: 1, items: 2 } } }),
  };
  const { speechId = '' } = more;
  const records = {
    ...obliging.records,
    beginSpeech: () => Promise.resolve({ job: { recordId: speechId, subjectId: 'speaker_labels/a' } }),
    awaitSpeech: () => (meanwhile ? lookingAgain() : Promise.resolve({ result: { charge: 2 } })),
    leaveAudio: () => Promise.resolve(),
  };
  const job = aTranscriptJob({ parameters: { language: 'en', includeComments: true, ...more }, webhookUrl: url });
  await record(name, { ...obliging, fetch, records }, async (env, taskQueue) => {
    const handle = await env.client.workflow.start(transcript, { workflowId: job.subjectId, taskQueue, args: [job] });
    await meanwhile?.(handle);
    return handle;
  });
}

/** Three windows, of which the second ends as told. */
async function speakerLabelsHistory(name: string, second = () => Promise.resolve({ words: 1, voices: 1 })): Promise<void> {
  const parameters = { audioId: ulid(), maxSpeakers: 3 };
  const job: SpeakerLabelsJob = {
    ...{ version: JOB_VERSION, startedBy: 'anonymous', recordId: ulid(), type: 'speaker_labels', mediaId: 'dQw4w9WgXcQ', price: 6, parameters, webhookUrl: url },
    ...{ subjectId: speakerLabelsSubjectOf(parameters), createdAt: '2026-11-21T09:30:00.123456Z' },
  };
  const records = { ...obliging.records, clearSpeech: () => Promise.resolve() };
  const speech = {
    prepareSpeech: () => Promise.resolve(PREPARED),
    transcribeWindow: ({ number }: { readonly number: number }) => (number === 2 ? second() : Promise.resolve({ words: 1, voices: 1 })),
    labelSpeakers: () => Promise.resolve({ durationSeconds: 700 }),
  };
  await record(name, { ...obliging, records, speech, isReal: true }, (env, taskQueue) =>
    env.client.workflow.start(speakerLabels, { workflowId: job.subjectId, taskQueue, args: [job] }),
  );
}

/** Labels that were requested while their audio was being downloaded. */
async function awaitedAudioHistory(
  name: string,
  awaitAudio: () => Promise<AwaitedAudio>,
  meanwhile?: (handle: Handle) => Promise<unknown>,
): Promise<void> {
  const { parameters, ...job } = aSpeakerLabelsJob();
  const awaits = { subjectId: 'audio/dQw4w9WgXcQ', price: 5 };
  const input: SpeakerLabelsJob = { ...job, webhookUrl: url, parameters: { audioId: parameters.audioId, awaits } };
  const records = { ...obliging.records, clearSpeech: () => Promise.resolve(), leaveAudio: () => Promise.resolve(), awaitAudio };
  const speech = {
    prepareSpeech: () => Promise.resolve(PREPARED),
    transcribeWindow: () => Promise.resolve({ words: 1, voices: 1 }),
    labelSpeakers: () => Promise.resolve({ durationSeconds: 700 }),
  };
  await record(name, { ...obliging, records, speech, isReal: true }, async (env, taskQueue) => {
    const handle = await env.client.workflow.start(speakerLabels, { workflowId: job.subjectId, taskQueue, args: [input] });
    await meanwhile?.(handle);
    return handle;
  });
}

function lookingAgain(): Promise<never> {
  return Promise.reject(ApplicationFailure.create({ message: 'Later.', type: 'later', nextRetryDelay: 200 }));
}

/** Two pages of files, what was left behind, and two pages of each other kind. */
function advanceWith(running: number, more: Partial<BatchAdvance> = {}): BatchAdvance {
  return { running, changed: 1, isOver: false, ...more };
}

async function batchHistory(
  name: string,
  more: Partial<BatchInput>,
  advances: readonly BatchAdvance[],
  whenPaused?: (handle: WorkflowHandle) => Promise<unknown>,
): Promise<void> {
  const left = [...advances];
  let isPaused = false;
  const records = {
    beginBatch: () => Promise.resolve(name === 'batch-listed' ? { url: 'https://www.youtube.com/@evening-talks', use: 'vidnet-page' as const, routes: routeNamesOf(routesWith(GENEROUS)) } : undefined),
    advanceBatch: () => Promise.resolve(left.shift() ?? advanceWith(0, { isOver: true })),
    setBatchStatus: ({ status }: { readonly status: string }) => {
      isPaused ||= status === 'paused';
      return Promise.resolve();
    },
  };
  const input: BatchInput = { batchId: ulid(), startedBy: 'anonymous', end: 1, webhookUrl: url, ...more };
  await record(name, { ...obliging, records: { ...obliging.records, ...records }, fetch: { ...obliging.fetch, listBatch: () => Promise.resolve({}) } }, async (env, taskQueue) => {
    const options = { workflowId: `batch/${input.batchId}`, taskQueue, args: [input] as [BatchInput] };
    const handle = await env.client.workflow.start(batch, options);
    if (whenPaused !== undefined) {
      await until(() => Promise.resolve(isPaused || undefined));
      await whenPaused(handle);
    }
    return handle;
  });
}

async function checkHistory(name: string, end: CheckEnd, findNewEntries: () => Promise<void>): Promise<void> {
  const order = { url: 'https://www.youtube.com/@evening-talks', use: 'vidnet-page' as const, startedBy: 'anonymous', webhookUrl: url };
  const records = {
    beginCheck: () => Promise.resolve({ ...order, routes: routeNamesOf(routesWith(GENEROUS)) }),
    endCheck: () => Promise.resolve(end),
    closeCheck: () => Promise.resolve(),
    beginBatch: () => Promise.resolve(undefined),
    advanceBatch: () => Promise.resolve(advanceWith(0, { isOver: true })),
    setBatchStatus: () => Promise.resolve(),
  };
  const subscriptionId = ulid();
  await record(name, { ...obliging, records: { ...obliging.records, ...records }, fetch: { ...obliging.fetch, findNewEntries } }, (env, taskQueue) =>
    env.client.workflow.start(checkSubscription, { workflowId: `check/${subscriptionId}`, taskQueue, args: [{ subscriptionId }] }),
  );
}

async function retentionHistory(name: string, kept: Pick<RetentionInput, 'keepDays' | 'confirmedBy'> = {}): Promise<void> {
  const records: FakeActivities['records'] = {
    sweepFiles: ({ after }) =>
      Promise.resolve({ seen: 10, expired: 2, orphans: 1, ...(after === undefined ? { next: '1' } : {}) }),
    sweepLeftovers: () => Promise.resolve({ uploads: 0, workFolders: 0 }),
    sweepKept: ({ after }) => Promise.resolve({ removed: 5, ...(after === undefined ? { next: '1' } : {}) }),
  };
  await record(name, { records }, (env, taskQueue) =>
    env.client.workflow.start(retention, { workflowId: name, taskQueue, args: [{ retentionDays: 30, ...kept }] }),
  );
}

async function uploadHistory(name: string, ingestUpload: () => Promise<object>): Promise<void> {
  const recordId = ulid();
  const job: UploadJob = {
    ...anAudioJob({ webhookUrl: url }),
    ...{ type: 'upload', recordId, mediaId: recordId, subjectId: subjectIdOf('upload', recordId), price: 0 },
    parameters: { title: 'talk.wav', contentType: 'audio/wav' },
  };
  const records = { ...obliging.records, discardUpload: () => Promise.resolve() };
  await record(name, { ...obliging, records, fetch: { ingestUpload } }, (env, taskQueue) =>
    env.client.workflow.start(upload, { workflowId: job.subjectId, taskQueue, args: [job] }),
  );
}

async function imgnetHistories(): Promise<void> {
  const [shortcode, account, createdAt] = ['DAbCdEfGhIj', 'tea', '2026-11-21T09:30:00.123456Z'];
  const post = { kind: 'post', shortcode } as const;
  const profile: JobInput = {
    ...{ version: JOB_VERSION, startedBy: 'anonymous', recordId: ulid(), type: 'imgnet_profile', mediaId: account, price: 0, createdAt },
    subjectId: subjectIdOf('imgnet_profile', account),
  };
  const list: ListJob = {
    ...{ version: JOB_VERSION, startedBy: 'anonymous', recordId: ulid(), type: 'imgnet_list_reels', mediaId: account, price: 5, createdAt },
    ...{ subjectId: subjectIdOf('imgnet_list_reels', account, 'all'), parameters: { part: 'reels' } },
  };
  const content: ContentJob = {
    ...{ version: JOB_VERSION, startedBy: 'anonymous', recordId: ulid(), type: 'imgnet_post', mediaId: shortcode, price: 15, createdAt },
    ...{ subjectId: postSubjectOf(post), parameters: { post, profilePrice: 10 } },
  };
  const postAudio: PostAudioJob = {
    ...{ version: JOB_VERSION, startedBy: 'anonymous', recordId: ulid(), type: 'imgnet_audio', mediaId: shortcode, price: 5, createdAt },
    ...{ subjectId: subjectIdOf('imgnet_audio', shortcode), parameters: { post } },
  };
  const imgnet = (changes: Record<string, unknown> = {}): FakeActivities => ({
    ...obliging,
    records: {
      ...obliging.records,
      findFreshContent: () => Promise.resolve(undefined),
      planOwnerProfile: () => Promise.resolve(undefined),
      hasFetchedProfile: () => Promise.resolve(true),
      ...changes,
    },
    fetch: {
      triggerSnapshot: ({ recordId, part }) => Promise.resolve({ recordId, part, snapshotId: `s_${part}` }),
      awaitSnapshot: (snapshot) => Promise.resolve({ ...snapshot, isEmpty: false }),
      storeProfile: () => Promise.resolve({}),
      storeList: () => Promise.resolve({ lists: { reels: { pieces: 1, items: 2 } } }),
      storeContent: () => Promise.resolve({ account }),
      ...{ fetchImgnetAudio: () => Promise.resolve({ state: 'made', result }), fetchImgnetFiles: () => Promise.resolve({ state: 'made', result }) },
      ...changes,
    },
  });
  const run = <Job extends JobInput>(
    name: string,
    [workflow, job]: readonly [(job: Job) => Promise<JobEnd>, Job],
    activities: Parameters<typeof record>[1] = imgnet(),
  ): Promise<void> =>
    record(name, activities, (env, taskQueue) =>
      env.client.workflow.start(workflow as (job: JobInput) => Promise<JobEnd>, { workflowId: job.subjectId, taskQueue, args: [{ ...job, webhookUrl: url }] }),
    );
  await run('imgnet-profile', [imgnetProfile, profile]);
  await run('imgnet-profile-gone', [imgnetProfile, profile], imgnet({ storeProfile: refuseWith('removed') }));
  await run('imgnet-list', [imgnetList, list]);
  await run('imgnet-content', [imgnetContent, content]);
  const fetchesOwner = imgnet({ planOwnerProfile: () => Promise.resolve({ ...profile, parameters: { paidBy: content.recordId } }) });
  await run('imgnet-content-with-owner', [imgnetContent, content], { ...fetchesOwner, isReal: true });
  await run('imgnet-audio', [imgnetAudio, postAudio]);
  await run('media-post', [media, { ...postAudio, type: 'media', subjectId: 'media/video/4e', mediaId: '4e'.repeat(16), parameters: { page: { url: 'https://www.instagram.com/p/x/', format: 'video' }, post } }]);
  const looks = [{ state: 'stale', failure: failureFor('mediaLinksExpired') }, { state: 'made', result }];
  await run('imgnet-audio-expired', [imgnetAudio, postAudio], imgnet({ fetchImgnetAudio: () => Promise.resolve(looks.shift()) }));
}

function refuseWith(code: FailureCode): () => Promise<never> {
  return () => Promise.reject(toApplicationFailure(new JobError({ code, message: code })));
}

async function channelHistory(name: string, look: ChannelLook): Promise<void> {
  const fetch = {
    describeChannel: () => Promise.resolve(look),
    listChannel: () => Promise.resolve({ mediaId: 'UC1', lists: { videos: { pieces: 1, items: 2 } } }),
  };
  const parameters = { channel: { kind: 'handle', name: 'evening-talks' } } as const;
  const subjectId = subjectIdOf('list', `@evening-talks-${name}`);
  const job: ChannelJob = { ...anAudioJob({ webhookUrl: url }), type: 'list', subjectId, mediaId: '@evening-talks', parameters };
  await record(name, { ...obliging, fetch }, (env, taskQueue) =>
    env.client.workflow.start(channel, { workflowId: job.subjectId, taskQueue, args: [job] }),
  );
}

type Handle = Pick<WorkflowHandle, 'result' | 'fetchHistory' | 'describe' | 'cancel' | 'signal'>;

async function cancelWhileWaiting(handle: Handle): Promise<Handle> {
  await until(async () => (await handle.describe()).raw.pendingActivities?.some(({ lastFailure }) => lastFailure));
  await handle.cancel();
  return handle;
}

async function jobHistory(
  workflow: typeof audio,
  name: string,
  overrides: Partial<JobInput>,
  ...[activities, meanwhile]: [Parameters<typeof record>[1], ((handle: Handle) => Promise<unknown>)?]
): Promise<void> {
  const job = anAudioJob(overrides);
  await record(name, activities, async (env, taskQueue) => {
    const handle = await env.client.workflow.start(workflow, { workflowId: job.subjectId, taskQueue, args: [job] });
    await meanwhile?.(handle);
    return handle;
  });
}

async function deliveryHistory(
  name: string,
  activities: Parameters<typeof record>[1],
  round: { firstAttempt?: number } = {},
): Promise<void> {
  const { recordId } = anAudioJob();
  const input = { deliveryId: `webhook/${recordId}/1`, recordId, url, ...round };
  await record(name, activities, (env, taskQueue) =>
    env.client.workflow.start(deliverWebhook, { workflowId: input.deliveryId, taskQueue, args: [input] }),
  );
}

async function temporalCli(): Promise<string> {
  return (await ensure(temporalTool({ env: process.env, cacheDir, log: say }), say)).value;
}

async function record(
  name: string,
  // Only a real server tells activities that run to stop.
  activities: FakeActivities & { readonly isReal?: boolean },
  start: (env: TestWorkflowEnvironment, taskQueue: string) => Promise<Handle>,
): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const env = await (activities.isReal === true
    ? TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'existing-path', path: await temporalCli() } } })
    : TestWorkflowEnvironment.createTimeSkipping({ server: { executable: server } }));
  try {
    await (activities.isReal === true
      ? registerSearchAttributes(env.connection, 'default')
      : addSearchAttributes(env.connection));
    const history = await withWorkers({ env, bundle, activities, engineKey: PREPARED.engineKey }, async (taskQueue) => {
      const handle = await start(env, taskQueue);
      await handle.result().catch(() => undefined);
      return handle.fetchHistory();
    });
    await writeFile(join(import.meta.dirname, `${name}.json`), anonymous(historyToJSON(history)));
    console.log(`recorded ${name}: ${String(history.events?.length)} events`);
  } finally {
    await env.teardown();
  }
}

/** Which machine recorded a history, and in which folder, is nobody's business and would change with every recording. */
function anonymous(json: string): string {
  const root = join(import.meta.dirname, '../..');
  return json.replaceAll(/"identity": *"[^"]*"/g, '"identity": "recorder"').replaceAll(root, '');
}

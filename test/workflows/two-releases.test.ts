import { Context } from '@temporalio/activity';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JOB_VERSION, NEWEST_JOB_VERSION, type JobInput } from '../../contract/jobs.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { audio } from '../../workflows/audio.ts';
import { aResult } from '../helpers/audio-harness.ts';
import { until } from '../helpers/until.ts';
import { anAudioJob, startWorkers, type FakeActivities, type StartedWorkers } from '../helpers/workflow-run.ts';

/** Versions of jobs that the next release has beside those of today. */
const NEXT = NEWEST_JOB_VERSION + 1;
const WEBHOOKS_NOW = 'version < 3 ?';

let env: TestWorkflowEnvironment;
let today: WorkflowBundleWithSourceMap;
/** As a next release would be: its new jobs have other commands, a child of another type. */
let next: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') });
  today = await loadWorkflows();
  const newest = `NEWEST_JOB_VERSION = ${String(NEWEST_JOB_VERSION)}`;
  const changed = today.code
    .replaceAll(newest, `NEWEST_JOB_VERSION = ${String(NEXT)}`)
    .replaceAll(WEBHOOKS_NOW, `version < 3 || version === ${String(NEXT)} ?`);
  for (const text of [newest, WEBHOOKS_NOW]) expect(today.code).toContain(text);
  for (const text of [newest, WEBHOOKS_NOW]) expect(changed).not.toContain(text);
  next = { ...today, code: changed };
}, 120_000);
afterAll(() => env.teardown());

/** The first of the two is stopped while it fetches. */
async function oneAfterTheOther(
  job: JobInput,
  first: WorkflowBundleWithSourceMap,
  second: WorkflowBundleWithSourceMap,
): Promise<void> {
  let isFetching = false;
  const hanging = activities(async () => {
    isFetching = true;
    return Context.current().cancelled;
  });
  const old = await startWorkers({ env, bundle: first, activities: hanging });
  const handle = await begin(job, old);
  await until(() => isFetching, { what: 'the fetching' });
  await old.stop();
  const { taskQueue } = old;
  const fresh = await startWorkers({ env, bundle: second, activities: activities(), taskQueue });
  await handle.result();
  await fresh.stop();
}

function activities(fetchAudio = () => Promise.resolve(aResult)): FakeActivities {
  return {
    records: { claimJob: () => Promise.resolve('claimed'), finishJob: () => Promise.resolve() },
    fetch: { fetchAudio },
    deliver: { attemptDelivery: () => Promise.resolve('delivered') },
  };
}

const begin = (job: JobInput, { taskQueue }: StartedWorkers) =>
  env.client.workflow.start(audio, { workflowId: job.subjectId, taskQueue, args: [job] });

/** @returns the type of its webhook's workflow, when both its history and that of its webhook are those of the release */
async function webhookOf({ subjectId, recordId }: JobInput, release: WorkflowBundleWithSourceMap): Promise<string> {
  const webhook = env.client.workflow.getHandle(`webhook/${recordId}/1`);
  await webhook.result();
  for (const handle of [env.client.workflow.getHandle(subjectId), webhook]) {
    await Worker.runReplayHistory({ workflowBundle: release }, await handle.fetchHistory());
  }
  return (await webhook.describe()).type;
}

const aJob = (version: number): JobInput => anAudioJob({ version, webhookUrl: 'https://example.com/hook' });

describe('workers of two releases', () => {
  it.each([
    ['the older one began the newer one goes on with', () => [today, next] as const],
    ['the newer one began the older one goes on with', () => [next, today] as const],
  ])('a job that %s', async (_title, releases) => {
    const job = aJob(JOB_VERSION);
    await oneAfterTheOther(job, ...releases());
    for (const release of releases()) expect(await webhookOf(job, release)).toBe('deliverWebhookAtOnce');
  });

  it('a job with steps that the older one does not know waits, untouched, for the newer one', async () => {
    const job = aJob(NEXT);
    const older = await startWorkers({ env, bundle: today, activities: activities() });
    const handle = await begin(job, older);
    await until(
      async () => {
        const { events } = await handle.fetchHistory();
        return events?.some(({ workflowTaskFailedEventAttributes: failed }) => failed?.failure);
      },
      { what: 'the refusal' },
    );
    const { events } = await handle.fetchHistory();
    expect(
      events?.some((event) => event.activityTaskScheduledEventAttributes ?? event.markerRecordedEventAttributes),
    ).toBe(false);
    await older.stop();
    const newer = await startWorkers({ env, bundle: next, activities: activities(), taskQueue: older.taskQueue });
    await handle.result();
    expect(await webhookOf(job, next)).toBe('deliverWebhook');
    await newer.stop();
  });
});

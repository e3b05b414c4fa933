import { Context } from '@temporalio/activity';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { JOB_VERSION, NEWEST_JOB_VERSION, type JobInput } from '../../contract/job-input.ts';
import { loadWorkflows } from '../../worker/workflow-bundle.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { aResult } from '../helpers/workflow-harness.ts';
import { until } from '../helpers/until.ts';
import { startWorkers, type FakeActivities, type StartedWorkers } from '../helpers/workflow-run.ts';
import { anAudioJob } from '../helpers/jobs.ts';

/** The job version that the next release adds. */
const NEXT = NEWEST_JOB_VERSION + 1;
/** The jobs of the next release have another step after this one: a timer. */
const BEFORE_THE_END = "'Finishing the record.');";

let env: TestWorkflowEnvironment;
let today: WorkflowBundleWithSourceMap;
/** The next release: its new jobs wait for a timer before their record ends. */
let next: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') });
  today = await loadWorkflows();
  const newest = `NEWEST_JOB_VERSION = ${String(NEWEST_JOB_VERSION)}`;
  const changed = today.code
    .replaceAll(newest, `NEWEST_JOB_VERSION = ${String(NEXT)}`)
    .replaceAll(
      BEFORE_THE_END,
      `${BEFORE_THE_END} if (version === ${String(NEXT)}) await new Promise((go) => setTimeout(go, 10));`,
    );
  for (const text of [newest, BEFORE_THE_END]) expect(today.code).toContain(text);
  expect(changed).not.toContain(newest);
  expect(changed).toContain('setTimeout(go, 10)');
  next = { ...today, code: changed };
}, 120_000);
afterAll(() => env.teardown());

/** Runs a job with two releases: the first is stopped while the job fetches. */
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

/** Replays a job with the workflows of a release. @returns whether it took the step that is new in the next release */
async function hasNewStep({ subjectId }: JobInput, release: WorkflowBundleWithSourceMap): Promise<boolean> {
  const history = await env.client.workflow.getHandle(subjectId).fetchHistory();
  await Worker.runReplayHistory({ workflowBundle: release }, history);
  return history.events?.some(({ timerStartedEventAttributes: timer }) => timer) === true;
}

const aJob = (version: number): JobInput => anAudioJob({ version });

describe('workers of two releases', () => {
  it.each([
    ['the older release started is continued by the newer one', () => [today, next] as const],
    ['the newer release started is continued by the older one', () => [next, today] as const],
  ])('share jobs: a job that %s', async (_title, releases) => {
    const job = aJob(JOB_VERSION);
    await oneAfterTheOther(job, ...releases());
    for (const release of releases()) expect(await hasNewStep(job, release)).toBe(false);
  });

  it('leave a job with steps that the older release does not know to the newer one', async () => {
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
    expect(await hasNewStep(job, next)).toBe(true);
    await newer.stop();
  });
});

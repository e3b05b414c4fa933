import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { JobInput } from '../../contract/job-input.ts';
import { createVersionCommands } from '../../operator/versions/version-commands.ts';
import { UsageError } from '../../runtime/operator-command.ts';
import { registerSearchAttributes } from '../../runtime/temporal/search-attributes.ts';
import { deploymentOf, loadWorkflows } from '../../worker/workflow-bundle.ts';
import { audio } from '../../workflows/jobs/audio.ts';
import { aResult } from '../helpers/workflow-harness.ts';
import { until } from '../helpers/until.ts';
import { startWorkers, type StartedWorkers } from '../helpers/workflow-run.ts';
import { anAudioJob } from '../helpers/jobs.ts';

/** Temporal's queues learn of a release within seconds, on a busy machine within a minute. */
const LONG_MS = 150_000;

let env: TestWorkflowEnvironment;
let bundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  env = await TestWorkflowEnvironment.createFromExistingServer({ address: inject('temporalAddress') });
  await registerSearchAttributes(env.connection, 'default');
  bundle = await loadWorkflows();
}, 120_000);
afterAll(() => env.teardown());

/** A deployment of its own with workers of several releases. */
function aDeployment() {
  const name = `test-${randomUUID()}`;
  const commands = createVersionCommands(env.client, name);
  /** The releases by which each job was claimed, fetched and notified, in this order. */
  const doneBy = new Map<string, string[]>();
  const fetching = new Set<string>();
  const held = new Set<string>();
  const started: StartedWorkers[] = [];
  return {
    doneBy,
    fetching,
    held,
    run: (...words: string[]) => commands.run(words),
    async start(buildId?: string): Promise<StartedWorkers> {
      const by = ({ recordId }: { readonly recordId: string }): void => {
        doneBy.set(recordId, [...(doneBy.get(recordId) ?? []), buildId ?? 'none']);
      };
      const deployment = await deploymentOf(
        buildId === undefined ? {} : { WORKER_DEPLOYMENT: name, WORKER_BUILD_ID: buildId },
      );
      const workers = await startWorkers({
        ...{ env, bundle, taskQueue: name },
        ...(deployment === undefined ? {} : { deployment }),
        activities: {
          records: {
            claimJob(job) {
              by(job);
              return Promise.resolve('claimed');
            },
            finishJob: () => Promise.resolve(),
          },
          fetch: {
            async fetchAudio(job) {
              fetching.add(job.recordId);
              await Promise.race([
                until(() => !held.has(job.recordId), { within: LONG_MS, what: 'the end of the fetching' }),
                Context.current().cancelled,
              ]);
              by(job);
              return aResult;
            },
          },
          deliver: {
            attemptDelivery(job) {
              by(job);
              return Promise.resolve('delivered');
            },
          },
        },
      });
      started.push(workers);
      return workers;
    },
    /** Makes a release the one in use, as soon as Temporal has seen its workers. */
    use: (buildId: string) =>
      until(() => commands.run(['use', buildId]).catch(() => undefined), {
        within: LONG_MS,
        what: `the use of ${buildId}`,
      }),
    begin: (job: JobInput) =>
      env.client.workflow.start(audio, { workflowId: job.subjectId, taskQueue: name, args: [job] }),
    stop: () => Promise.all(started.map((workers) => workers.stop())),
  };
}

const aJob = (): JobInput => anAudioJob({ webhookUrl: 'https://example.com/hook' });
const webhook = ({ recordId }: JobInput) => env.client.workflow.getHandle(`webhook/${recordId}/1`).result();

describe('workers of a deployment', { timeout: 2 * LONG_MS }, () => {
  it('keep the jobs that their release began; new ones begin with the release in use, also after a roll-back', async () => {
    const service = aDeployment();
    await service.start('one');
    await service.use('one');
    const before = aJob();
    service.held.add(before.recordId);
    const open = await service.begin(before);
    await until(() => service.fetching.has(before.recordId), { what: 'the fetching' });

    await service.start('two');
    await service.use('two');
    const [upgraded, rolledBack] = [aJob(), aJob()];
    await (await service.begin(upgraded)).result();
    await webhook(upgraded);
    expect(service.doneBy.get(upgraded.recordId)).toEqual(['two', 'two', 'two']);
    expect(await service.run()).toMatch(/^two {2}in use$/m);

    service.held.clear();
    await open.result();
    expect(service.doneBy.get(before.recordId)?.slice(0, 2)).toEqual(['one', 'one']);

    await service.use('one');
    await (await service.begin(rolledBack)).result();
    expect(service.doneBy.get(rolledBack.recordId)?.slice(0, 2)).toEqual(['one', 'one']);
    await service.stop();
  });

  it('leave their jobs to the release in use when these are moved, also those at work when they stopped', async () => {
    const service = aDeployment();
    const old = await service.start('one');
    await service.use('one');
    const job = aJob();
    service.held.add(job.recordId);
    const handle = await service.begin(job);
    await until(() => service.fetching.has(job.recordId), { what: 'the fetching' });
    await old.stop();
    service.held.clear();
    service.doneBy.clear();

    await service.start('two');
    await service.use('two');
    await expect(service.run('move', 'two')).rejects.toThrow(UsageError);
    await until(async () => (await service.run('move', 'one')).startsWith('1 jobs'), { what: 'the job to be seen' });
    await handle.result();
    expect(service.doneBy.get(job.recordId)?.[0]).toBe('two');
    await service.stop();
  });

  it('give way to workers without a deployment when none of its releases is in use', async () => {
    const service = aDeployment();
    await service.start('one');
    await service.use('one');
    await service.start();
    await service.run('use', 'none');
    const job = aJob();
    await (await service.begin(job)).result();
    await webhook(job);
    expect(service.doneBy.get(job.recordId)).toEqual(['none', 'none', 'none']);
    await service.stop();
  });

  it('are named by their workflows where nothing else is set', async () => {
    const deployment = await deploymentOf({ WORKER_DEPLOYMENT: 'tapedeck' });
    expect(deployment?.version.buildId).toMatch(/^workflows-[0-9a-f]{16}$/);
  });

  it('are unknown to the command before the first has started', async () => {
    await expect(createVersionCommands(env.client, 'unknown').run(['use', 'one'])).rejects.toThrow(
      /WORKER_DEPLOYMENT=unknown/,
    );
    await expect(createVersionCommands(env.client, 'unknown').run(['use'])).rejects.toThrow(/There is no command/);
  });
});

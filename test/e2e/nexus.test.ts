import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMO_JOB, type JobInput } from '../../contract/job-input.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { temporalCli } from '../../local/engines/temporal-cli.ts';
import { createPayloadCodec } from '../../runtime/temporal/payload-codec.ts';
import { audioOf } from '../helpers/nexus-caller.ts';
import { failureOf } from '../helpers/promises.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { quietRuntime } from '../helpers/workflow-run.ts';

const NAMESPACE = 'applications';
const TASK_QUEUE = 'applications';

let env: TestWorkflowEnvironment;
let service: TestService;
let client: Client;
let worker: Worker;
let running: Promise<void>;
beforeAll(async () => {
  quietRuntime();
  const log = (): void => undefined;
  const cacheDir = defaultCacheDir(process.env);
  const { value: path } = await ensure(temporalCli({ env: process.env, cacheDir, log }), log);
  // The server of the other tests has no Nexus.
  env = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'existing-path', path }, extraArgs: ['--namespace', NAMESPACE] },
  });
  service = await TestService.start({ env: { TEMPORAL_ADDRESS: env.address } });
  await env.createNexusEndpoint('tapedeck', service.stack.env['TASK_QUEUE']!);
  client = new Client({ connection: env.connection, namespace: NAMESPACE });
  worker = await Worker.create({
    ...{ connection: env.nativeConnection, namespace: NAMESPACE, taskQueue: TASK_QUEUE },
    workflowsPath: join(import.meta.dirname, '../helpers/nexus-caller.ts'),
  });
  running = worker.run();
}, 240_000);
afterAll(async () => {
  worker.shutdown();
  await running;
  await service.stop();
  await env.teardown();
});

it('shares its payload keys with a service that encrypts', { timeout: 240_000 }, async () => {
  const { id, key } = { id: 'shared', key: randomBytes(32) };
  const encrypting = await TestService.start({
    env: { TEMPORAL_ADDRESS: env.address, PAYLOAD_KEYS: `${id}:${key.toString('base64')}` },
  });
  const endpoint = 'tapedeck-encrypted';
  await env.createNexusEndpoint(endpoint, encrypting.stack.env['TASK_QUEUE']!);
  const dataConverter = { payloadCodecs: [createPayloadCodec({ current: { id, key }, all: [{ id, key }] })] };
  const taskQueue = `${TASK_QUEUE}-encrypted`;
  const holder = await Worker.create({
    ...{ connection: env.nativeConnection, namespace: NAMESPACE, taskQueue, dataConverter },
    workflowsPath: join(import.meta.dirname, '../helpers/nexus-caller.ts'),
  });
  const data = await holder.runUntil(
    new Client({ connection: env.connection, namespace: NAMESPACE, dataConverter }).workflow.execute(audioOf, {
      ...{ workflowId: 'call-encrypted', taskQueue, args: [encrypting.videoId('ordinary'), endpoint] },
    }),
  );
  expect(data).toMatchObject({ status: 'success', audio_url: expect.any(String) });
  await encrypting.stop();
});

let calls = 0;
const start = (videoId: string) =>
  client.workflow.start(audioOf, {
    workflowId: `call-${String((calls += 1))}`,
    taskQueue: TASK_QUEUE,
    args: [videoId],
  });
const call = async (videoId: string) => (await start(videoId)).result();

/** Waits until the request of the only call waits for its job. */
const untilWaiting = () =>
  until(
    async () => {
      for await (const { workflowId } of env.client.workflow.list({
        query: "WorkflowType = 'nexusRequest' AND ExecutionStatus = 'Running'",
      })) {
        const { raw } = await env.client.workflow.getHandle(workflowId).describe();
        if (raw.pendingActivities?.some(({ activityType }) => activityType?.name === 'awaitNexusRecord')) return true;
      }
      return undefined;
    },
    { what: 'the wait for the job' },
  );

function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${messagesOf(error.cause)}` : '';
}

describe('a workflow of another namespace', () => {
  it('gets the record of the job that it requested, and then the same one again', async () => {
    const video = service.videoId('ordinary');
    const data = await call(video);
    expect(data).toMatchObject({ status: 'success', audio_url: expect.any(String) });
    expect((await fetch(data.audio_url!)).status).toBe(200);
    const { body } = await service.getDownload(data.id);
    // A signed link also depends on the second in which it is made.
    expect(data).toEqual({ ...body.data, audio_url: data.audio_url, file_urls: [data.audio_url] });
    expect((await call(video)).id).toBe(data.id);
  }, 120_000);

  it('gets the record of a job that has failed', async () => {
    expect(await call(service.videoId('private'))).toMatchObject({ status: 'failed', audio_url: null });
  }, 120_000);

  it('is refused with the reason if its request is wrong', async () => {
    expect(messagesOf(await failureOf(call('../../etc')))).toMatch(/refuses its input: request\.vidnet_video_id/);
  }, 120_000);

  it('cancels the job that it started', async () => {
    const video = service.videoId('long');
    await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: 200_000 });
    const handle = await start(video);
    await untilWaiting();
    const { memo } = await env.client.workflow.getHandle(subjectIdOf('audio', video)).describe();
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    const { status, response } = await service.ended((memo?.[MEMO_JOB] as JobInput).recordId);
    expect({ status, response }).toEqual({ status: 'failed', response: expect.stringMatching(/cancelled/) });
  }, 120_000);

  it('leaves the job that another caller started when it is cancelled', async () => {
    const video = service.videoId('long');
    const { id } = (await service.requestAudio(video)).body.data;
    const handle = await start(video);
    await untilWaiting();
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    const { events } = await env.client.workflow.getHandle(subjectIdOf('audio', video)).fetchHistory();
    expect(events?.filter((event) => event.workflowExecutionCancelRequestedEventAttributes)).toEqual([]);
    await service.request('DELETE', `/downloads/${id}`);
    await service.ended(id);
  }, 120_000);
});

import { readFileSync } from 'node:fs';
import { Context } from '@temporalio/activity';
import { ApplicationFailure, type Client, type WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { createDeliveryGateway } from '../../api/workflow-gateways.ts';
import { createJobGateway } from '../../api/job-gateway.ts';
import type { JobInput } from '../../contract/job-input.ts';
import { breakersOn } from '../helpers/breakers.ts';
import { aResult, audioHarness, refusal } from '../helpers/workflow-harness.ts';
import { failureOf } from '../helpers/promises.ts';
import { until } from '../helpers/until.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const { fetchAudio, attemptDelivery, withService } = audioHarness('real');

/** The queries of docs/operations.md, which operators copy. */
const QUERIES = [
  ...readFileSync('docs/operations.md', 'utf8').matchAll(/`((?:Tapedeck\w+|ExecutionStatus|WorkflowType) [^`]+)`/g),
];
function recipe(word: string, values: Readonly<Record<string, string>>): string {
  const query = QUERIES.map(([, text = '']) => text).find((text) => text.includes(word));
  if (query === undefined) throw new Error(`no recipe with ${word}`);
  for (const example of Object.keys(values)) expect(query).toContain(example);
  return Object.entries(values).reduce((text, [example, value]) => text.replace(example, value), query);
}

async function found(client: Client, query: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  return ids.sort();
}

/** Lists are updated within moments. */
async function expectFound(client: Client, query: string, ids: readonly string[]): Promise<void> {
  const wanted = JSON.stringify([...ids].sort());
  await until(async () => JSON.stringify(await found(client, query)) === wanted, { what: query });
}

async function detailsOf(handle: WorkflowHandle): Promise<string> {
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

/** As the api starts it. */
async function start(client: Client, taskQueue: string, job: JobInput) {
  const gateway = createJobGateway(client, taskQueue, breakersOn());
  // A server that is busy may take longer than a caller would wait.
  await until(() => gateway.start('audio', job).catch(() => undefined), { what: 'the start' });
  return client.workflow.getHandle(job.subjectId);
}

const aKey = (): string => ulid().slice(-16).toLowerCase();
const aHost = (): string => `${ulid().toLowerCase()}.example.com`;

describe('an operator in the Web UI', () => {
  it('sees the end of a job and of its webhook, and finds both by download, video and host', async () => {
    const [host, key] = [aHost(), aKey()];
    const webhookUrl = `https://${host}/hook?token=${ulid()}`;
    const job = anAudioJob({ webhookUrl, chargedTo: key, startedBy: key });
    await withService(async (client, taskQueue) => {
      const handle = await start(client, taskQueue, job);
      const end = { recordId: job.recordId, status: 'success', cost: '0.005', files: ['a.m4a'], webhooks: 1 };
      expect(await handle.result()).toEqual(end);
      expect(await detailsOf(handle)).toBe('Ended: success, cost 0.005, 1 file, 1 webhook.');
      const webhook = client.workflow.getHandle(`webhook/${job.recordId}/1`);
      expect(await webhook.result()).toBe('delivered');
      expect(await detailsOf(webhook)).toBe('Delivered by attempt 1 of 4.');
      const both = [handle.workflowId, webhook.workflowId];
      await expectFound(client, recipe('TapedeckMediaId', { kX3vQ9mTz0A: job.mediaId }), both);
      const byDownload = recipe('TapedeckDownloadId', { '01JD5Z3K6VQ0W8R9T2X4Y6B8CD': job.recordId });
      await expectFound(client, byDownload, both);
      await expectFound(client, `TapedeckWebhookHost = '${host}' AND TapedeckPlatform = 'vidnet'`, both);
      // A success has no failure attribute, and no event for one.
      expect(await found(client, `${byDownload} AND TapedeckFailure IS NOT NULL`)).toEqual([]);
      const { events } = await handle.fetchHistory();
      expect(events?.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes)).toEqual([]);
    });
  });

  it('finds failed jobs by their code, with the reason of the record', async () => {
    fetchAudio.mockRejectedValue(refusal('private'));
    const job = anAudioJob({ chargedTo: aKey() });
    await withService(async (client, taskQueue) => {
      const handle = await start(client, taskQueue, job);
      const error = (await failureOf(handle.result())) as WorkflowFailedError;
      const end = { recordId: job.recordId, status: 'failed', webhooks: 0, code: 'private' };
      expect(error.cause).toBeInstanceOf(ApplicationFailure);
      expect(error.cause).toMatchObject({ message: 'It is private.', type: 'private', details: [end] });
      const query = `${recipe("'private'", { private: 'private', vidnet: 'vidnet' })} AND TapedeckCaller = '${job.chargedTo!}'`;
      await expectFound(client, query, [handle.workflowId]);
    });
  });

  it('finds abandoned webhooks by their host, and redeliveries', async () => {
    attemptDelivery.mockResolvedValue('forbidden');
    const host = aHost();
    const job = anAudioJob({ webhookUrl: `https://${host}/hook` });
    await withService(async (client, taskQueue) => {
      await (await start(client, taskQueue, job)).result();
      const deliveryId = `webhook/${job.recordId}/1`;
      const query = recipe('webhook_abandoned', { 'hooks.example.com': host });
      await expectFound(client, query, [deliveryId]);
      attemptDelivery.mockResolvedValue('delivered');
      const again = createDeliveryGateway(client, taskQueue);
      const url = `https://${host}/hook`;
      expect(await again.start({ deliveryId, recordId: job.recordId, url, firstAttempt: 2 })).toBe(true);
      await client.workflow.getHandle(deliveryId).result();
      await expectFound(client, `TapedeckWebhookHost = '${host}' AND WorkflowType = 'deliverWebhook'`, [
        deliveryId,
        deliveryId,
      ]);
    });
  });

  it('finds the running jobs of a key, sees their progress, and cancels them', async () => {
    const key = aKey();
    const jobs = [anAudioJob({ chargedTo: key }), anAudioJob({ chargedTo: key })];
    fetchAudio.mockImplementation(async () => {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), 100);
      await context.cancelled.finally(() => clearInterval(beat));
      return aResult;
    });
    await withService(async (client, taskQueue) => {
      const handles = await Promise.all(jobs.map((job) => start(client, taskQueue, job)));
      await until(() => fetchAudio.mock.calls.length === 2);
      expect(await detailsOf(handles[0]!)).toMatch(/^Fetch the audio of video .* pending activity page#1\.$/);
      const query = recipe('TapedeckCaller', { '0123456789abcdef': key });
      await expectFound(
        client,
        query,
        jobs.map(({ subjectId }) => subjectId),
      );
      const early = recipe('StartTime', { '2026-11-22T00:00:00Z': new Date(Date.now() + 60_000).toISOString() });
      await expectFound(
        client,
        `${early} AND TapedeckCaller = '${key}'`,
        jobs.map(({ subjectId }) => subjectId),
      );
      await client.workflowService.startBatchOperation({
        ...{ namespace: 'default', jobId: ulid(), visibilityQuery: query, reason: 'a test' },
        cancellationOperation: { identity: 'a test' },
      });
      for (const handle of handles) await failureOf(handle.result());
      const cancelled = `TapedeckCaller = '${key}' AND TapedeckFailure = 'cancelled'`;
      await expectFound(
        client,
        cancelled,
        jobs.map(({ subjectId }) => subjectId),
      );
    });
  });
});

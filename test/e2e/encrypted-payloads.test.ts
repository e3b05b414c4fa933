import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { freePort } from '../../local/engines/ports.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { createPayloadCodec } from '../../runtime/temporal/payload-codec.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { anAudioJob } from '../helpers/jobs.ts';

const old = { id: 'old', key: randomBytes(32) };
const current = { id: 'current', key: randomBytes(32) };
const inSettings = ({ id, key }: typeof old): string => `${id}:${key.toString('base64')}`;

let service: TestService;
let connection: Connection;
let codecPort: number;
beforeAll(async () => {
  codecPort = await freePort();
  service = await TestService.start({
    env: { PAYLOAD_KEYS: `${inSettings(current)},${inSettings(old)}`, CODEC_PORT: String(codecPort) },
  });
  connection = await Connection.connect({ address: inject('temporalAddress') });
}, 240_000);
afterAll(async () => {
  await connection.close();
  await service.stop();
});

/** They hold the host of a webhook, by which it is found, and by which its tasks are shared out. */
const IN_CLEAR = new Set(['searchAttributes', 'priority']);

/** All texts of what Temporal keeps of a workflow, but for those. */
async function textsOf(workflowId: string): Promise<string> {
  const handle = new Client({ connection }).workflow.getHandle(workflowId);
  const { raw } = await handle.describe().catch(() => ({ raw: undefined }));
  const texts: string[] = [];
  const collect = (part: unknown): void => {
    if (typeof part === 'string') texts.push(part);
    else if (part instanceof Uint8Array) texts.push(Buffer.from(part).toString('latin1'));
    else if (typeof part === 'object' && part !== null)
      for (const [name, inner] of Object.entries(part)) if (!IN_CLEAR.has(name)) collect(inner);
  };
  collect(await handle.fetchHistory());
  collect(raw);
  return texts.join('\n');
}

describe('with PAYLOAD_KEYS', () => {
  it('nothing of a webhook stands in the histories of a job and of its delivery, and the endpoint shows it', async () => {
    const receiver = await startWebhookReceiver();
    const secret = `token-${ulid()}`;
    const url = `${receiver.url}?${secret}`;
    const video = service.videoId('ordinary');
    const { id } = await service.finishedAudio(video, url);
    await until(() => receiver.posts[0], { what: 'the webhook' });
    const told = [await textsOf(subjectIdOf('audio', video)), await textsOf(`webhook/${id}/1`)];
    for (const texts of told) {
      expect(texts).toContain('binary/encrypted');
      expect(texts).not.toContain(secret);
      expect(texts).not.toContain(new URL(url).host);
    }
    const { events } = await new Client({ connection }).workflow.getHandle(`webhook/${id}/1`).fetchHistory();
    const [input] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
    const metadata = Object.fromEntries(Object.entries(input!.metadata!).map(([name, bytes]) => [name, base64(bytes)]));
    const answer = await fetch(`http://127.0.0.1:${String(codecPort)}/decode`, {
      method: 'POST',
      body: JSON.stringify({ payloads: [{ metadata, data: base64(input!.data!) }] }),
    });
    const { payloads } = (await answer.json()) as { payloads: { data: string }[] };
    expect(JSON.parse(Buffer.from(payloads[0]!.data, 'base64').toString())).toMatchObject({ url });
    await receiver.close();
  });

  it('neither do the texts of failures, which callers are told', async () => {
    const video = service.videoId('private');
    const { response } = await service.finishedAudio(video);
    expect(response).toMatch(/private/);
    const texts = await textsOf(subjectIdOf('audio', video));
    expect(texts).toContain('Encoded failure');
    expect(texts).not.toContain(response!);
  });

  it('callers see the progress of a job, which its heartbeats tell', async () => {
    const video = service.videoId('long');
    await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: 200_000 });
    const { id } = (await service.requestAudio(video)).body.data;
    await until(async () => ((await service.getDownload(id)).body.data.progress?.downloaded_bytes ?? 0) > 0);
    expect(await textsOf(subjectIdOf('audio', video))).not.toContain('downloadedBytes');
    await service.request('DELETE', `/downloads/${id}`);
    expect((await service.ended(id)).status).toBe('failed');
  });

  it.each([
    ['in clear', undefined, 1],
    ['with an older key', old, 2],
  ])('jobs that were started %s go on', async (_how, key, index) => {
    const payloadCodecs = [createPayloadCodec({ current: key, all: key === undefined ? [] : [key] })];
    const client = new Client({ connection, dataConverter: { payloadCodecs } });
    const mediaId = service.videoId('ordinary', index);
    const job = { ...anAudioJob(), mediaId, subjectId: subjectIdOf('audio', mediaId) };
    const taskQueue = service.stack.env['TASK_QUEUE']!;
    await client.workflow.start('audio', { workflowId: job.subjectId, taskQueue, args: [job], memo: { job } });
    expect(await service.ended(job.recordId)).toMatchObject({ status: 'success' });
    // What the workers have written has the newest key.
    expect(await textsOf(job.subjectId)).toContain('current');
  });
});

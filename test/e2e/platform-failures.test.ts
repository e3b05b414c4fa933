import { readdir, readlink } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { ulid } from 'ulid';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { progressSchema } from '../../contract/http/fields.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { freePort } from '../../local/engines/ports.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const MAX_JOBS = 2;
let service: TestService;
let connection: Connection;
let temporal: Client;

let ports: Readonly<Record<'api' | 'worker' | 'sdk', number>>;
beforeAll(async () => {
  ports = { api: await freePort(), worker: await freePort(), sdk: await freePort() };
  service = await TestService.start({
    env: {
      ...{ VIDNET_MAX_JOBS: String(MAX_JOBS), UPSTREAM_FIRST_PAUSE_SECONDS: '3' },
      ...{ API_METRICS_PORT: String(ports.api), WORKER_METRICS_PORT: String(ports.worker) },
      TEMPORAL_METRICS_PORT: String(ports.sdk),
    },
  });
  connection = await Connection.connect({ address: inject('temporalAddress') });
  temporal = new Client({ connection });
}, 120_000);
afterAll(async () => {
  await connection.close();
  await service.stop();
});

const handleOf = (videoId: string) => temporal.workflow.getHandle(subjectIdOf('audio', videoId));

describe('an upstream in trouble', () => {
  it.each([
    ['429', 'page', 0],
    ['500', 'media', 1],
  ])('that answers %s to the %s at first is asked again', async (mode, target, index) => {
    const video = service.videoId('ordinary', index);
    await service.misbehave({ video, target, mode, times: 1 });
    expect(await service.finishedAudio(video)).toMatchObject({ status: 'success' });
  });

  it.each([
    ['almost at its end', { cut_at_fraction: 0.98 }, 'no_audio'],
    ['without telling its length', { cut_at_fraction: 0.97, chunked: true }, 'opus_only'],
  ])('that ends a body %s is found out by the size that it states', async (_how, how, kind) => {
    const video = kind === 'no_audio' ? service.videoId('ordinary', 1) : service.videoId(kind);
    await service.misbehave({ video, target: 'media', mode: 'short', times: 1, ...how });
    const before = await service.served(video);
    const body = { vidnet_video_id: video };
    const accepted = await service.request<{ data: { id: string } }>('POST', '/api/downloads/video', { body });
    expect(await service.ended(accepted.body.data.id)).toMatchObject({ status: 'success' });
    expect((await service.served(video)).page_reads).toBe(before.page_reads + 2);
  });

  it('that ends a body too early never makes a success of it', async () => {
    const video = service.videoId('ordinary', 2);
    await service.misbehave({ video, target: 'media', mode: 'short' });
    const accepted = await service.requestAudio(video);
    const refused = await until(async () => {
      const { progress } = (await service.getDownload(accepted.body.data.id)).body.data;
      return progress?.until === undefined ? undefined : progress;
    });
    expect(refused.reason).toMatch(/whole (?:recording|file)|cannot be read/);
    expect((await service.getDownload(accepted.body.data.id)).body.data.status).toBe('pending');
    await service.misbehave({ video, mode: 'off' });
    expect(await service.ended(accepted.body.data.id)).toMatchObject({ status: 'success', duration: '00:00:14' });
    expect((await service.filesOnDisk()).work).toEqual([]);
  });

  it('that cuts the connection is asked for the rest', async () => {
    const video = service.videoId('silent');
    await service.misbehave({ video, target: 'media', mode: 'cut', times: 1 });
    expect(await service.finishedAudio(video)).toMatchObject({ status: 'success' });
  });

  it('that refuses everybody lets jobs wait and say why and until when, and all succeed afterwards', async () => {
    const playable = ['hd1080', 'hd720', 'vp9_opus', 'automatic_captions', 'no_captions', 'regional_captions'];
    const videos = playable.map((kind) => service.videoId(kind));
    await service.misbehave({ video: '*', target: 'page', mode: '429' });
    const accepted = await Promise.all(videos.map((video) => service.requestAudio(video)));
    const ids = accepted.map(({ body }) => body.data.id);

    for (const id of ids) {
      const progress = await until(
        async () => {
          const { data } = (await service.getDownload(id)).body;
          return data.progress?.until === undefined ? undefined : progressSchema.parse(data.progress);
        },
        { what: `why ${id} waits` },
      );
      expect(progress).toMatchObject({ stage: 'waiting', reason: 'The video platform limits the rate of requests.' });
      // The pause may have been made longer since.
      expect(Date.parse(progress.until!)).toBeGreaterThan(Date.now() - 10_000);
    }
    const served = await Promise.all(videos.map((video) => service.served(video)));
    const asked = served.reduce((sum, { page_reads: reads }) => sum + reads, 0);
    // Those that had a turn when it began, and a probe after each pause so far.
    expect(asked).toBeLessThanOrEqual(MAX_JOBS + 3);

    await service.misbehave({ video: '*', mode: 'off' });
    // A waiting job learns within a minute that the circuit breaker has closed.
    for (const id of ids) expect(await service.ended(id, 110_000)).toMatchObject({ status: 'success', cost: '0.005' });
  }, 180_000);
});

describe('an operator', () => {
  it('finds a running job, sees its progress, and stops it with all its processes', async () => {
    const receiver = await startWebhookReceiver();
    const video = service.videoId('long');
    await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: 200_000 });
    const { id } = (await service.requestAudio(video, receiver.url)).body.data;

    const progress = await until(
      async () => {
        const { data } = (await service.getDownload(id)).body;
        return (data.progress?.downloaded_bytes ?? 0) > 0 ? data.progress : undefined;
      },
      { what: 'progress in bytes' },
    );
    expect(progress).toMatchObject({ stage: 'fetching', percent: expect.any(Number), total_bytes: expect.any(Number) });

    for (const query of [`TapedeckMediaId = '${video}'`, `TapedeckDownloadId = '${id}'`]) {
      const found = await until(async () => {
        for await (const workflow of temporal.workflow.list({ query })) return workflow;
        return undefined;
      });
      expect(found.workflowId).toBe(`audio/${video}`);
    }
    const description = await handleOf(video).describe();
    expect(await description.staticSummary()).toBe(`audio of ${video}`);
    expect(description.raw.pendingActivities?.[0]?.heartbeatDetails?.payloads).toHaveLength(1);
    expect(await processesIn(service.dataDir)).not.toHaveLength(0);

    await handleOf(video).cancel();
    const ended = await service.ended(id);
    expect(ended).toMatchObject({ status: 'failed', response: 'The job was cancelled.', cost: '0.000' });
    expect(await processesIn(service.dataDir)).toHaveLength(0);
    expect((await service.filesOnDisk()).work).toEqual([]);
    const post = await until(() => receiver.posts[0], { what: 'the webhook' });
    expect(post.headers['x-webhook-original-status']).toBe('500');
    await receiver.close();
  });

  it('who terminates a job finds its record ended, and can start it again', async () => {
    const video = service.videoId('opus_only');
    await service.misbehave({ video, target: 'media', mode: 'slow', bytes_per_second: 1_000 });
    const { id } = (await service.requestAudio(video)).body.data;
    await handleOf(video).terminate();
    expect(await service.ended(id)).toMatchObject({ status: 'failed', cost: '0.000' });
    await service.misbehave({ video, mode: 'off' });
    expect(await service.finishedAudio(video)).toMatchObject({ status: 'success' });
  });
});

describe('the pages for operators', () => {
  const pageOf = (part: keyof typeof ports, path: string) => fetch(`http://127.0.0.1:${String(ports[part])}${path}`);

  it('count what api, worker and SDK have done', async () => {
    const { id } = await service.finishedAudio(service.videoId('ordinary', 0));
    const [api, worker, sdk] = await Promise.all(
      (['api', 'worker', 'sdk'] as const).map(async (part) => (await pageOf(part, '/metrics')).text()),
    );
    expect(api).toMatch(/^tapedeck_requests_total\{facade="rest",operation="requestAudio",status="202"\} [1-9]/m);
    expect(api).toMatch(/^tapedeck_accept_seconds_count [1-9]/m);
    expect(api).toMatch(/^tapedeck_waits 0$/m);
    expect(worker).toMatch(/^tapedeck_jobs_total\{kind="audio",outcome="success"\} [1-9]/m);
    expect(worker).toMatch(/^tapedeck_platform_refusals_total\{route="vidnet",code="rate_limited"\} [1-9]/m);
    expect(worker).toMatch(/^tapedeck_published_bytes_total\{kind="audio"\} \d{5}/m);
    expect(worker).toMatch(/^tapedeck_program_runs_total\{program="ffmpeg\S*",end="ok"\} [1-9]/m);
    expect(worker).toMatch(/^tapedeck_route_paused\{route="vidnet",by="platform"\} [01]$/m);
    expect(worker).toMatch(/^tapedeck_queue_waiting\{queue="e2e-\w+-webhooks"\} 0$/m);
    expect(sdk).toMatch(/^temporal_worker_task_slots_available\{/m);
    const lines = (await service.logOf('worker')).split('\n').filter((one) => one.includes(id));
    const stages = lines.map((one) => JSON.parse(one) as object);
    const whose = { kind: 'audio', downloadId: id, workflowId: `audio/${service.videoId('ordinary', 0)}` };
    expect(stages).toContainEqual(
      expect.objectContaining({ ...whose, stage: 'fetchAudio', route: 'vidnet', outcome: 'ok' }),
    );
    expect(stages).toContainEqual(expect.objectContaining({ ...whose, stage: 'finishJob', outcome: 'ok' }));
  });

  it('tell which queues a worker polls', async () => {
    const ready = await pageOf('worker', '/readyz');
    const { queues, ...rest } = (await ready.json()) as { queues: Record<string, string> };
    expect([ready.status, rest]).toEqual([200, { status: 'ok', temporal: 'ok', mongodb: 'ok' }]);
    expect(Object.keys(queues)).toContain(`${service.stack.env['TASK_QUEUE'] ?? ''}-webhooks`);
    expect(new Set(Object.values(queues))).toEqual(new Set(['polled']));
    expect((await pageOf('worker', '/healthz')).status).toBe(200);
    expect((await pageOf('api', '/healthz')).status).toBe(404);
  });
});

describe('links to files', () => {
  let link: string;
  beforeAll(async () => {
    const video = service.videoId('ordinary', 0);
    const answer = await service.requestAudio(video);
    link = answer.body.data.audio_url ?? (await service.ended(answer.body.data.id)).audio_url!;
  });

  it.each([
    ['bytes=0-0', 206, 1],
    ['bytes=-1', 206, 1],
    ['bytes=-99999999', 206, undefined],
    ['bytes=10-19', 206, 10],
    ['bytes=5-2', 416, undefined],
    ['items=0-1', 200, undefined],
    ['bytes=0-1,4-5', 200, undefined],
    ['bytes=999999999-', 416, undefined],
  ])('answer the range %s with %i', async (range, status, length) => {
    const response = await fetch(link, { headers: { range } });
    const bytes = await response.arrayBuffer();
    expect(response.status).toBe(status);
    if (length !== undefined) {
      expect(bytes.byteLength).toBe(length);
      expect(response.headers.get('content-range')).toMatch(/^bytes \d+-\d+\/\d+$/);
    }
    if (status === 416) expect(response.headers.get('content-range')).toMatch(/^bytes \*\/\d+$/);
  });

  it('continue with If-Range only while the file is the same', async () => {
    const whole = await fetch(link);
    const etag = whole.headers.get('etag')!;
    expect(etag).toMatch(/^"[^"]+"$/);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const same = await fetch(link, { headers: { range: 'bytes=100-', 'if-range': etag } });
    expect(same.status).toBe(206);
    expect(Buffer.from(await same.arrayBuffer()).equals(bytes.subarray(100))).toBe(true);
    const other = await fetch(link, { headers: { range: 'bytes=100-', 'if-range': '"other"' } });
    expect(other.status).toBe(200);
    const weak = await fetch(link, { headers: { range: 'bytes=100-', 'if-range': `W/${etag}` } });
    expect(weak.status).toBe(200);
    await weak.arrayBuffer();
    await other.arrayBuffer();
    // Not by fetch, which adds Cache-Control: no-cache to a conditional request.
    expect((await request(link, { headers: { 'if-none-match': etag } })).statusCode).toBe(304);
  });

  it('answer HEAD with the headers alone', async () => {
    const response = await fetch(link, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(1_000);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('are refused when they are wrong, expired or lead elsewhere', async () => {
    const url = new URL(link);
    const altered = (change: (copy: URL) => void): string => {
      const copy = new URL(url);
      change(copy);
      return copy.href;
    };
    const refused: [string, number][] = [
      [altered((copy) => copy.searchParams.set('Expires', '1000000000')), 403],
      [altered((copy) => copy.searchParams.set('Signature', 'A'.repeat(43))), 403],
      [altered((copy) => copy.searchParams.delete('Signature')), 403],
      [altered((copy) => (copy.pathname = copy.pathname.replace(/(?<=\/)[^/]+\.m4a$/, 'other.m4a'))), 403],
      [altered((copy) => (copy.pathname = `/files/${ulid()}/%2e%2e/%2e%2e/etc/passwd`)), 404],
      [altered((copy) => (copy.pathname = '/files/..%2f..%2fetc%2fpasswd')), 404],
    ];
    for (const [href, status] of refused) {
      const response = await fetch(href);
      expect([href, response.status]).toEqual([href, status]);
      expect(await response.json()).toMatchObject({ error: expect.any(String), code: expect.any(String) });
    }
  });
});

/** Processes that work in a folder, by their current directory. */
async function processesIn(folder: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')));
  return ids.filter((_, index) => folders[index]?.startsWith(`${folder}/work`));
}

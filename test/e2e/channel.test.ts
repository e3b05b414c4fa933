import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import { createRpcClient } from '../../clients/typescript/src/rpc.ts';
import { channelProfileSchema, type ChannelProfile } from '../../contract/kinds/channel.ts';
import {
  vidnetFailedResultSchema,
  vidnetPendingResultSchema,
  type PendingResult,
} from '../../contract/http/job-answers.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService, type Answered } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await TestService.shared();
}, 120_000);
afterAll(() => service.stop());

interface SandboxIndex {
  readonly channels: readonly { readonly url: string; readonly case: string }[];
}
interface SandboxStats {
  readonly channels: Readonly<Record<string, { playlist_items: Record<string, number> }>>;
  readonly totals: { readonly api_requests: number };
}
const sandbox = async <Body>(path: string): Promise<Body> =>
  (await (await fetch(service.sandbox.url + path)).json()) as Body;
const channelUrl = async (kind: string): Promise<string> =>
  (await sandbox<SandboxIndex>('/')).channels.find((channel) => channel.case === kind)!.url;

const request = <Body = ChannelProfile>(url: string, more: object = {}, prefer?: string): Promise<Answered<Body>> =>
  service.request('POST', '/api/channel/profile', {
    body: { url, ...more },
    ...(prefer === undefined ? {} : { headers: { Prefer: prefer } }),
  });

/** What the specification has in a profile, and the Data API tells; what yt-dlp alone knows may be missing here. */
const SPECIFIED = {
  description: true,
  thumbnail: true,
  country: true,
  total_media: true,
  subscriber_count: true,
  total_views: true,
  creation_date: true,
} as const;

describe('a channel profile', () => {
  it('has the same body in REST, tRPC and the webhook, with every field', async () => {
    const url = await channelUrl('ordinary');
    const receiver = await startWebhookReceiver();
    const accepted = await request<PendingResult>(url, { include_webhook: receiver.url }, 'wait=0');
    expect([accepted.status, vidnetPendingResultSchema.strict().parse(accepted.body).cost]).toEqual([202, '0.010']);
    const post = await until(() => receiver.posts[0], { what: 'the webhook' });
    await receiver.close();
    const { body, status } = await request(url);
    expect(status).toBe(200);

    expect(JSON.parse(post.body)).toEqual(body);
    expect(
      await createRpcClient(service.stack.rpcUrl, { token: service.stack.rpcToken }).channels.profile.mutate({ url }),
    ).toEqual(body);
    expect(post.headers).toMatchObject({
      'x-webhook-endpoint': 'channel/videos',
      'x-webhook-original-status': '200',
      'x-webhook-download-id': accepted.body.download_id,
    });
    const whole = channelProfileSchema.required(SPECIFIED).strict().parse(body);
    expect(whole.download.id).toBe(accepted.body.download_id);
    expect(whole.total_media).toBe(whole.videos.length);
    for (const video of whole.videos) channelProfileSchema.shape.videos.element.required().strict().parse(video);
  });

  it('is one subject by all of its names', async () => {
    const url = await channelUrl('ordinary');
    const first = await request(url);
    const before = (await sandbox<SandboxStats>('/stats')).totals.api_requests;
    const { vidnet_id: id } = first.body;
    const names = [`${url}/videos?x=1`, url.split('/').at(-1)!.toUpperCase(), id, `https://youtube.com/channel/${id}`];
    for (const name of names) expect((await request(name)).body).toEqual(first.body);
    expect((await sandbox<SandboxStats>('/stats')).totals.api_requests).toBe(before);
  });

  it('of a channel that has another name still costs nothing more', async () => {
    const url = await channelUrl('ordinary');
    const first = await request(url);
    const { channel } = service.sandbox.catalogue[0]!;
    for (const path of [`user/${channel.user_name!}`, `c/${channel.custom_name!}`]) {
      const again = await request(`${service.sandbox.url}/${path}`);
      expect(again.body).toMatchObject({ vidnet_id: first.body.vidnet_id, cost: '0.000' });
      expect(again.body.videos).toEqual(first.body.videos);
    }
  });

  it('asked for by all of its names at once is fetched once and charged once', async () => {
    const url = await channelUrl('ordinary');
    const { vidnet_id: id } = (await request(url)).body;
    await inAnHour(url, id);
    const before = (await sandbox<SandboxStats>('/stats')).channels[id]!.playlist_items['0']!;
    const names = [url, id, `${url}/videos`, `https://youtube.com/channel/${id}`, url.split('/').at(-1)!];
    const answers = await Promise.all(names.map((name) => request(name)));
    for (const { body } of answers) expect(body.videos).toEqual(answers[0]!.body.videos);
    expect((await sandbox<SandboxStats>('/stats')).channels[id]!.playlist_items['0']).toBe(before + 1);
    const costs = new Map(answers.map(({ body }) => [body.download.id, body.cost]));
    expect([...costs.values()].toSorted()).toEqual([...Array<string>(costs.size - 1).fill('0.000'), '0.010']);
  });

  it('may be empty, and may be gone', async () => {
    const empty = await request(await channelUrl('empty'));
    expect(channelProfileSchema.parse(empty.body)).toMatchObject({ videos: [], total_media: 0 });
    const gone = await request(await channelUrl('removed'));
    expect(vidnetFailedResultSchema.strict().parse(gone.body)).toMatchObject({ code: 'removed', cost: '0.000' });
    expect(gone.status).toBe(400);
  });

  it('of 3,000 videos is whole, and goes on where it was when the worker is killed', async () => {
    const url = await channelUrl('large');
    const accepted = await request<PendingResult>(url, {}, 'wait=0');
    const listed = async (): Promise<Record<string, number>> =>
      Object.values((await sandbox<SandboxStats>('/stats')).channels).find(
        ({ playlist_items: pages }) => Object.keys(pages).length > 3,
      )?.playlist_items ?? {};
    await until(async () => (Object.keys(await listed()).length > 10 ? true : undefined), { what: 'ten pages' });
    service.stack.kill('worker', 'SIGKILL');
    const download = await service.ended(accepted.body.download_id, 90_000);
    expect(download.status).toBe('success');

    const { body } = await request(url);
    const ids = body.videos.map((video) => video.vidnet_id);
    expect([ids.length, new Set(ids).size]).toEqual([3000, 3000]);
    const times = body.videos.map((video) => video.published_at!);
    expect(times).toEqual(times.toSorted().reverse());
    // One page may have been under way; none that was stored is asked for again.
    const asked = Object.values(await listed());
    expect(asked).toHaveLength(60);
    expect(asked.filter((times) => times > 1).length).toBeLessThanOrEqual(1);
    expect(await residentMegabytes('worker')).toBeLessThan(600);
  }, 120_000);

  it.each(['https://example.com/@evening-talks', 'https://www.youtube.com/watch?v=kX3vQ9mTz0A', 'x', ''])(
    'of %j is refused',
    async (url) => {
      const answer = await request<{ details: { path: string }[] }>(url);
      expect([answer.status, answer.body.details[0]?.path]).toEqual([400, 'url']);
    },
  );
});

/** Makes what was fetched of a channel as old as it is in an hour. */
async function inAnHour(url: string, id: string): Promise<void> {
  const mongo = openMongo({
    uri: inject('mongodbUri'),
    database: service.stack.env['MONGODB_DATABASE']!,
    timeoutMs: 5_000,
  });
  const names = [`list/${url.split('/').at(-1)!}`, `list/channel/${id}`];
  await mongo.db.collection<{ _id: string }>('subjects').deleteMany({ _id: { $in: names } });
  await mongo.close();
}

async function residentMegabytes(role: 'api' | 'worker'): Promise<number> {
  const pid = service.stack.processes().find(({ name }) => name === role)!.pid;
  const kilobytes = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

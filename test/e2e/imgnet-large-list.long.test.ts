import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImgnetList } from '../../contract/kinds/imgnet-list.ts';
import type { ImgnetProfile } from '../../contract/kinds/imgnet-profile.ts';
import { datasetStats, imgnetIndex } from '../helpers/imgnet.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** The answer has 60 MB, and several times that as objects. What V8 has not yet collected differs by 30 from run to run. */
const MOST_MEBIBYTES = 150;
let service: TestService;
/** What each role takes before it has done anything. */
let idle: ReadonlyMap<string, number>;

beforeAll(async () => {
  service = await TestService.start({ env: { SHUTDOWN_GRACE_SECONDS: '1' } });
  idle = new Map((await peaks()).map(({ name, mebibytes }) => [name, mebibytes]));
}, 120_000);
afterAll(() => service.stop());

/** The most memory that each role's process has ever had, in MiB. */
async function peaks(): Promise<{ name: string; mebibytes: number }[]> {
  const roles = service.stack.processes().filter(({ name }) => name === 'api' || name === 'worker');
  return Promise.all(
    roles.map(async ({ name, pid }) => {
      const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
      return { name, mebibytes: Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024 };
    }),
  );
}

async function expectModest(): Promise<void> {
  for (const { name, mebibytes } of await peaks()) {
    const before = idle.get(name)!;
    process.stdout.write(`most memory of the ${name}: ${before.toFixed(0)}, then ${mebibytes.toFixed(0)} MiB\n`);
    expect(mebibytes - before, `MiB more of the ${name}`).toBeLessThan(MOST_MEBIBYTES);
  }
}

describe.runIf(process.platform === 'linux')('a list of 20,000 items', () => {
  it('continues with the same snapshots after kill -9, and is returned and delivered with little memory', async () => {
    const { accounts } = await imgnetIndex(service);
    const account = accounts.find((one) => one.case === 'large')!;
    const headers = { Prefer: 'wait=60' };
    const profile = await service.request<ImgnetProfile>('POST', '/api/imgnet/profile', {
      body: { url: account.url },
      headers,
    });
    expect(profile.body).toMatchObject({ posts_count: 22_000, list_cost: 22 });

    const receiver = await startWebhookReceiver();
    const body = { list_id: profile.body.list_id, include_webhook: receiver.url };
    const request = () => service.request<ImgnetList>('POST', '/api/imgnet/list', { body });
    // What is there is kept within a second: the worker dies while the provider collects.
    const slow = { target: 'dataset', mode: 'slow', account: account.user_name };
    await service.misbehave({ ...slow, seconds: 10 });
    const { posts } = (await request()).body.downloads;
    await until(async () => (await datasetStats(service)).started[`posts ${account.user_name}`] === 1, {
      what: 'the snapshot of the posts',
      within: 60_000,
    });
    await expectModest();
    service.stack.kill('worker', 'SIGKILL');
    await until(() => receiver.posts.length === 2, { what: 'both webhooks', within: 180_000 });

    const answer = await request();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ...{ posts_count: 20_000, reels_count: 2_000, total_count: 22_000 },
      completeness: { expected: 22_000, received: 22_000 },
      downloads: { posts: { id: posts.id, cost: '11.000' }, reels: { cost: '11.000' } },
    });
    expect(new Set(answer.body.posts.map(({ shortcode }) => shortcode)).size).toBe(20_000);
    const delivered = receiver.posts.map((post) => JSON.parse(post.body) as ImgnetList);
    expect(delivered.map(({ total_count }) => total_count).sort()).toEqual([2_000, 20_000]);
    expect(delivered.find((one) => one.posts.length > 0)?.posts).toEqual(answer.body.posts);
    await expectModest();

    const { started } = await datasetStats(service);
    expect(started[`posts ${account.user_name}`]).toBe(1);
    expect(started[`reels ${account.user_name}`]).toBe(1);
    await receiver.close();
  }, 300_000);
});

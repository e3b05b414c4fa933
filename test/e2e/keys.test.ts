import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountResult } from '../../contract/http/account-schemas.ts';
import { formatMoney } from '../../contract/money.ts';
import type { AudioResult } from '../../contract/kinds/audio.ts';
import type { DownloadList, DownloadResult } from '../../contract/kinds/kinds.ts';
import type { ImgnetListPending } from '../../contract/kinds/imgnet-list.ts';
import type { ImgnetProfile } from '../../contract/kinds/imgnet-profile.ts';
import { politeFetch } from '../../local/polite-fetch.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { makeKey } from '../fuzz/key.ts';
import { startConsoleBrowser } from '../helpers/console.ts';
import { datasetStats, imgnetIndex } from '../helpers/imgnet.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

// Two processes of the api and a worker on one database. Keys are needed, as they are beyond loopback.
let service: TestService;
let second: Stack;
beforeAll(async () => {
  service = await TestService.start({ env: { ALLOW_ANONYMOUS: 'false', RATE_LIMIT_PER_MINUTE: '90' } });
  const { PORT: _rest, RPC_PORT: _rpc, ...env } = service.stack.env;
  const log = (): void => undefined;
  const output = { dir: service.dataDir };
  second = await startStack({ env, dataDir: service.dataDir, services: ['api'], ports: 'free', log, output });
}, 120_000);
afterAll(async () => {
  await second.stop();
  await service.stop();
});

const bearer = async (credit?: number) => ({ authorization: `Bearer ${await makeKey(service.stack, credit)}` });
const urls = () => [service.stack.restUrl, second.restUrl];

describe('a service with API keys', () => {
  it('lets 90 requests of a key pass over two processes, and refuses the 91st', async () => {
    const headers = await bearer();
    const ask = (index: number) => fetch(`${urls()[index % 2]!}/downloads/01JD5Z3K6VQ0W8R9T2X4Y6B8CD`, { headers });
    const first = await ask(0);
    expect(first.headers.get('ratelimit-remaining')).toBe('89');
    const statuses = await Promise.all(Array.from({ length: 90 }, async (_, index) => (await ask(index)).status));
    expect(statuses.filter((status) => status === 404)).toHaveLength(89);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('charges each download once, to the key that started it, and starts nothing beyond the credit', async () => {
    const headers = await bearer(12);
    const request = (index: number, videoId: string) =>
      politeFetch(`${urls()[index % 2]!}/api/downloads/audio`, {
        method: 'POST',
        headers: { ...headers, prefer: 'wait=60' },
        body: JSON.stringify({ vidnet_video_id: videoId }),
      });
    expect((await fetch(`${urls()[0]!}/api/downloads`)).status).toBe(401);
    const videos = [0, 1, 2].map((index) => service.videoId('ordinary', index));
    const answers = await Promise.all(videos.map((videoId, index) => request(index, videoId)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 402]);
    const paid = answers.find(({ status }) => status === 200)!;
    const { data } = (await paid.json()) as AudioResult;
    expect(data.status).toBe('success');
    const account = (await (await politeFetch(`${urls()[1]!}/api/account`, { headers })).json()) as AccountResult;
    expect(account).toMatchObject({ credit: '0.002', reserved: '0.000', spent: '0.010' });
    expect(account.entries.map(({ amount }) => amount)).toEqual(['0.005', '0.005']);
    // Another key gets it for nothing.
    const poor = await bearer(0);
    const body = JSON.stringify({ vidnet_video_id: data.media_id });
    const again = await politeFetch(`${urls()[1]!}/api/downloads/audio`, { method: 'POST', headers: poor, body });
    expect(again.status).toBe(200);
    expect(((await again.json()) as AudioResult).data.id).toBe(data.id);
  });

  it('charges a list that is cancelled again and again for each time that the provider was asked', async () => {
    const headers = await bearer(1_000);
    const { accounts } = await imgnetIndex(service);
    const { url, user_name } = accounts.find((account) => account.case === 'ordinary')!;
    const asked = async (): Promise<number> => {
      const { started } = await datasetStats(service);
      return (started[`posts ${user_name}`] ?? 0) + (started[`reels ${user_name}`] ?? 0);
    };
    const profile = await service.request<ImgnetProfile>('POST', '/api/imgnet/profile', {
      ...{ body: { url }, headers: { ...headers, prefer: 'wait=60' } },
    });
    const isSlow = { target: 'dataset', mode: 'slow', account: user_name, seconds: 600 };
    for (const dataset of ['posts', 'reels']) await service.misbehave({ ...isSlow, dataset });
    const body = { list_id: profile.body.list_id };
    let cost = 0;
    for (const round of [1, 2, 3]) {
      const list = await service.request<ImgnetListPending>('POST', '/api/imgnet/list', { body, headers });
      expect(list.status).toBe(202);
      cost += Math.round(list.body.total_cost * 1_000);
      await until(async () => (await asked()) === 2 * round);
      const parts = [list.body.downloads.posts.id, list.body.downloads.reels.id];
      const costs = await Promise.all(
        parts.map(async (id, index) => {
          const at = `${urls()[index % 2]!}/downloads/${id}`;
          const cancelled = await politeFetch(at, { method: 'DELETE', headers });
          // The second is for a job that needs longer than a moment to end.
          expect([200, 202]).toContain(cancelled.status);
          const { cost: charged } = await until(async () => {
            const { data } = (await (await politeFetch(at, { headers })).json()) as DownloadResult;
            return data.status === 'failed' && data;
          });
          return Math.round(Number(charged) * 1_000);
        }),
      );
      expect(costs[0]! + costs[1]!).toBe(Math.round(list.body.total_cost * 1_000));
    }
    const account = await service.request<AccountResult>('GET', '/api/account', { headers });
    const spent = 10 + cost;
    expect(account.body).toMatchObject({ reserved: '0.000', spent: formatMoney(spent) });
    expect(account.body.entries).toHaveLength(7);
    expect(account.body.credit).toBe(formatMoney(1_000 - spent));
  });

  it('lets 90 of 200 requests for one download pass at once, and at most four polls more', async () => {
    const headers = { ...(await bearer()), prefer: 'wait=60' };
    const body = JSON.stringify({ vidnet_video_id: service.videoId('ordinary') });
    const made = await politeFetch(`${urls()[0]!}/api/downloads/audio`, { method: 'POST', headers, body });
    const { id } = ((await made.json()) as AudioResult).data;
    const caller = await bearer();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => fetch(`${urls()[index % 2]!}/downloads/${id}`, { headers: caller })),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    // The first four are free in each process, until a fifth is seen there: when that is refused, they have passed.
    expect(passed).toBeGreaterThanOrEqual(90);
    expect(passed).toBeLessThanOrEqual(94);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(200 - passed);
    // The window began with the first of them.
    for (const { headers: told } of refused) expect(Number(told.get('retry-after'))).toBeGreaterThan(30);
  });

  it(
    'is used in the console with a key that is asked for, kept for the tab, charged and forgotten',
    { timeout: 120_000 },
    async () => {
      const [rich, poor] = [await makeKey(service.stack, 1_000), await makeKey(service.stack, 1)];
      const browser = await startConsoleBrowser(service.stack.restUrl);
      try {
        await browser.within({}, async ({ page, context, go, violations }) => {
          const give = async (text = ''): Promise<void> => {
            await page.getByLabel('Key', { exact: true }).fill(text);
            await page.getByRole('button', { name: 'Use this key' }).click();
          };
          await go('/console/jobs');
          await page.getByText('An API key is needed').first().waitFor();
          expect(await violations()).toEqual([]);
          await give('td_wrong');
          await page.getByText('The Authorization header must be').first().waitFor();
          await give(poor);
          await page.getByRole('link', { name: 'Fetch something' }).click();
          await page.getByLabel('A link, handle or id').fill(service.videoId('hd720'));
          await page.getByRole('button', { name: 'Fetch: Video' }).click();
          await page.getByText('It costs 0.010; the key has 0.001 left.').waitFor();
          await page.getByRole('button', { name: 'API key' }).click();
          await page.getByLabel('Keep it on this device').check();
          await give(rich);
          await page.getByRole('button', { name: 'Fetch: Audio' }).click();
          await page.getByText('0.005 credits charged').waitFor({ timeout: 60_000 });
          const other = await context.newPage();
          await other.goto('/console/account');
          await other.getByText('0.995').waitFor();
          await other.close();
          await page.getByRole('link', { name: 'Account' }).click();
          await page.getByText('0.005 in 30 days').waitFor();
          await page
            .getByRole('img', { name: /^Spending of the last 30 days; most on \d{4}-\d\d-\d\d: 0\.005$/ })
            .waitFor();
          await page.locator('.plot canvas').waitFor();
          await page.getByText('The same as numbers').click();
          const [, newest] = await page.getByRole('table').getByRole('row').allInnerTexts();
          expect(newest).toMatch(/^\d{4}-\d\d-\d\d\s+1\s+0\.005$/);
          expect(await violations()).toEqual([]);
          await page.getByRole('button', { name: 'API key' }).click();
          await page.getByRole('button', { name: 'Forget this key' }).click();
          await page.getByText('Without an API key').waitFor();
          expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(
            'td_',
          );
        });
      } finally {
        await browser.close();
      }
    },
  );

  it('answers who waits before it stops', async () => {
    const headers = { ...(await bearer()), prefer: 'wait=60' };
    const body = JSON.stringify({ vidnet_video_id: service.videoId('long') });
    await service.misbehave({ video: service.videoId('long'), target: 'page', mode: 'hang' });
    const started = Date.now();
    const waiting = fetch(`${second.restUrl}/api/downloads/audio`, { method: 'POST', headers, body });
    await until(async () => {
      const listed = await service.request<DownloadList>('GET', '/api/downloads', { headers });
      return listed.body.downloads.length === 1;
    });
    const stopped = second.stop();
    expect((await waiting).status).toBe(202);
    await stopped;
    expect(Date.now() - started).toBeLessThan(45_000);
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DownloadType } from '../../console/src/types.ts';
import {
  DESKTOP,
  eventually,
  PHONE,
  startConsoleBrowser,
  type ConsoleBrowser,
  expectShownAsText,
  hostile,
  MARKUP,
  withTexts,
} from '../helpers/console.ts';
import { imgnetIndex, postUrl } from '../helpers/imgnet.ts';
import { TestService } from '../helpers/service.ts';

const ROWS = 20_000;
const LONG_TASK_MS = 100;

let service: TestService;
let browser: ConsoleBrowser;
/** Ids of finished jobs, one of each kind that shows what others have written. */
const jobs = new Map<DownloadType, string>();

interface Ended {
  readonly data?: { readonly id: string };
  readonly download_id?: string;
  readonly download?: { readonly id: string };
  readonly downloads?: { readonly posts: { readonly id: string }; readonly reels: { readonly id: string } };
  readonly list_id?: string;
}
async function ended(path: string, body: object): Promise<Ended> {
  const answer = await service.request<Ended>('POST', path, { body, headers: { prefer: 'wait=60' } });
  if (answer.status !== 200) throw new Error(`${path} answered ${JSON.stringify(answer.body)}`);
  return answer.body;
}

beforeAll(async () => {
  service = await TestService.shared();
  browser = await startConsoleBrowser(service.stack.restUrl);
  const vidnet_video_id = service.videoId('ordinary');
  const index = await imgnetIndex(service);
  const url = postUrl(index, 'carousel');
  const audio = (await ended('/api/downloads/audio', { vidnet_video_id })).data!.id;
  const speakers = await ended('/api/transcriptspeakerid', { transcript_with_speaker_id: audio });
  const captions = await ended('/api/transcripts', { vidnet_video_id, language: 'en', include_comments: true });
  const channel = await ended('/api/channel/profile', {
    url: index.channels.find((one) => one.case === 'ordinary')!.url,
  });
  const profile = await ended('/api/imgnet/profile', {
    url: index.accounts.find((one) => one.case === 'ordinary')!.url,
  });
  const { downloads } = await ended('/api/imgnet/list', { list_id: profile.list_id });
  const post = await ended('/api/imgnet/content', { url });
  jobs.set('audio', audio).set('captions', captions.download!.id).set('list', channel.download!.id);
  jobs.set('speaker_labels', speakers.download_id!).set('imgnet_profile', profile.download!.id);
  jobs.set('imgnet_list_posts', downloads!.posts.id).set('imgnet_list_reels', downloads!.reels.id);
  jobs.set('imgnet_post', post.download!.id);
}, 20 * 60_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

describe('nothing that somebody has written runs', () => {
  it.each([
    'speaker_labels',
    'list',
    'imgnet_profile',
    'imgnet_post',
    'imgnet_list_posts',
    'imgnet_list_reels',
  ] as const)('in a result of %s', async (kind) => {
    await browser.within({}, async ({ page, go }) => {
      await page.route(/\/downloads\/|\/words$/, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: hostile(await response.json()) });
      });
      await go(`/console/jobs/${jobs.get(kind)!}`);
      await expectShownAsText(page);
    });
  });

  it('in what somebody asks about, and in lists of jobs', async () => {
    await browser.within({}, async ({ page, go }) => {
      const subject = { kind: 'page', id: MARKUP, url: 'javascript:window.hacked=1', offers: [], note: MARKUP };
      await page.route('**/api/resolve?**', (route) => route.fulfill({ json: { subjects: [subject] } }));
      await page.route('**/api/downloads?**', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: hostile(await response.json()) });
      });
      await go(`/console?q=${encodeURIComponent(MARKUP)}`);
      await page.getByText('Newest jobs').waitFor();
      await expectShownAsText(page);
    });
  });

  it('in answers on the page of the API', async () => {
    await browser.within({}, async ({ page }) => {
      await page.route('**/api/downloads?**', (route) => route.fulfill({ json: { downloads: [MARKUP, MARKUP] } }));
      await page.goto('/docs');
      const shown = page.locator('#operations-Downloads-listDownloads');
      await shown.getByText('List downloads, newest first').click();
      await shown.getByRole('button', { name: 'Try it out' }).click();
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.locator('.responses-inner').getByText('onerror').first().waitFor();
      expect(await page.evaluate('window.hacked')).toBeUndefined();
    });
  });
});

describe('a text from outside', () => {
  it.each(['captions', 'speaker_labels', 'list', 'imgnet_profile', 'imgnet_post', 'imgnet_list_posts'] as const)(
    'runs from right to left if it begins so, in a result of %s',
    async (kind) => {
      await browser.within({}, async ({ page, go }) => {
        await page.route(/\/downloads\/|\/transcripts?\w*\/|\/words$/, async (route) => {
          const response = await route.fetch();
          const json = withTexts(await response.json(), (text) => (/^https?:|^\d/.test(text) ? text : `שלום ${text}`));
          await route.fulfill({ response, json });
        });
        await go(`/console/jobs/${jobs.get(kind)!}`);
        await page.getByText(/^שלום/).filter({ visible: true }).first().waitFor();
        await eventually(() => page.locator('.loading').count()).toBe(0);
        const wrong = await page.evaluate<string[]>(`[...document.querySelectorAll('main :not(pre)')]
        .filter((one) => /^[^a-z]*\\p{Script=Hebrew}/iu.test(one.firstChild?.data ?? one.value ?? ''))
        .filter((one) => getComputedStyle(one).direction !== 'rtl')
        .map((one) => one.outerHTML.slice(0, 200))`);
        expect(wrong).toEqual([]);
      });
    },
  );
});

describe('every page', () => {
  const looks = [
    { viewport: DESKTOP, colorScheme: 'dark' },
    { viewport: PHONE, colorScheme: 'light' },
  ] as const;
  it.each(looks)('is as WCAG AA asks for, and no wider than the window: %o', { timeout: 240_000 }, async (look) => {
    await browser.within(look, async ({ page, go, violations, overflow }) => {
      const paths = ['', `?q=${service.videoId('ordinary')}`, '/jobs', '/account', '/nowhere'];
      for (const path of [...paths, ...[...jobs.values()].map((id) => `/jobs/${id}`)]) {
        await go(`/console${path}`);
        await eventually(() => page.locator('.loading').count()).toBe(0);
        expect([path, await violations(), await overflow()]).toEqual([path, [], 0]);
      }
    });
  });

  it('is shown in light or dark colours, as the system prefers or as somebody chooses', async () => {
    await browser.within({ colorScheme: 'dark' }, async ({ page, go }) => {
      const ground = (): Promise<string> =>
        page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
      await go('/console');
      const dark = await ground();
      await page.getByRole('button', { name: 'Light colours' }).click();
      await eventually(ground).not.toBe(dark);
      const light = await ground();
      await page.reload();
      await page.locator('h1').waitFor();
      expect(await ground()).toBe(light);
      await page.getByRole('button', { name: 'Dark colours' }).click();
      await eventually(ground).toBe(dark);
    });
  });
});

it('a list of 20,000 scrolls, and is sorted and searched, without a long task', { timeout: 120_000 }, async () => {
  await browser.within({}, async ({ page, go }) => {
    const id = jobs.get('list')!;
    await page.route(`**/api/downloads/${id}/result`, async (route) => {
      const profile = (await (await route.fetch()).json()) as { videos: { title: string }[] };
      const [sample] = profile.videos;
      const videos = Array.from({ length: ROWS }, (_, index) => ({
        ...sample,
        vidnet_id: String(index).padStart(11, '0'),
        title: `Talk number ${String((index * 7919) % ROWS)}`,
        duration: index,
      }));
      await route.fulfill({ json: { ...profile, videos } });
    });
    await go(`/console/jobs/${id}`);
    const rows = page.getByLabel('Rows of Videos of the channel');
    await page.getByText('20,000', { exact: true }).waitFor();
    const longestMs = await longestTaskMs(page, async () => {
      await rows.hover();
      for (let step = 0; step < 40; step += 1) await page.mouse.wheel(0, 30_000);
      const scrolled = "document.querySelector('.table-rows').scrollTop";
      await eventually(() => page.evaluate<number>(scrolled)).toBeGreaterThan(1_000_000);
      await page.evaluate("document.querySelector('.table-rows').scrollTo(0, 9e9)");
      await rows.getByRole('row').last().waitFor();
      await page.getByRole('button', { name: 'Length' }).click();
      await page.getByLabel('Filter by title').pressSequentially('19');
      await page.getByText(/ of 20,000$/).waitFor();
    });
    expect(await rows.getByRole('row').count()).toBeLessThan(60);
    expect(longestMs).toBeLessThan(LONG_TASK_MS);
  });
});

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** Of the processor, in microseconds. */
  readonly tdur?: number;
}

/** @returns the longest task of a page while something is done with it, in the time of the processor: others may hold it up */
async function longestTaskMs(page: Page, work: () => Promise<void>): Promise<number> {
  const traced = page.context().browser()!;
  await traced.startTracing(page, { categories: ['toplevel'] });
  await work();
  const { traceEvents: events } = JSON.parse((await traced.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${String(pid)} ${String(tid)}`;
  const ofPages = new Set(events.filter(({ args }) => args.name === 'CrRendererMain').map(threadOf));
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && ofPages.has(threadOf(event)));
  expect(tasks.length).toBeGreaterThan(100);
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1000;
}

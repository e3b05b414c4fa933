import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { eventually, startConsoleBrowser, type ConsoleBrowser } from '../helpers/console.ts';
import { TestService } from '../helpers/service.ts';

let service: TestService;
let browser: ConsoleBrowser;
beforeAll(async () => {
  service = await TestService.shared();
  browser = await startConsoleBrowser(service.stack.restUrl);
}, 20 * 60_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
});

it('shows nine running jobs in as many tabs, which share one event stream also after its tab is closed', async () => {
  await service.misbehave({ video: '*', target: 'media', mode: 'slow', bytes_per_second: 10_000 });
  const ids: string[] = [];
  for (const kind of ['ordinary', 'automatic_captions', 'no_captions', 'hd1080', 'regional_captions']) {
    for (const path of ['audio', 'video']) {
      const body = { vidnet_video_id: service.videoId(kind) };
      const { body: answer } = await service.request<{ data: { id: string } }>('POST', `/api/downloads/${path}`, {
        body,
      });
      ids.push(answer.data.id);
    }
  }
  await browser.within({}, async ({ page, context }) => {
    const tabs: Page[] = [];
    const isStream = (one: string): boolean => /\/events$/.test(new URL(one).pathname);
    const streaming = new Set<Page>();
    const watch = (tab: Page): void => {
      tab.on('request', (request) => isStream(request.url()) && streaming.add(tab));
      const onEnd = (request: Request): unknown => isStream(request.url()) && streaming.delete(tab);
      tab.on('requestfinished', onEnd).on('requestfailed', onEnd);
    };
    watch(page);
    for (const id of ids.slice(0, 9)) {
      const tab = tabs.length === 0 ? page : await context.newPage();
      if (tab !== page) watch(tab);
      tabs.push(tab);
      await tab.goto(`/console/jobs/${id}`);
      await tab.getByRole('list', { name: 'Stages' }).waitFor();
      await tab.getByText('Live', { exact: true }).waitFor();
    }
    await eventually(() => streaming.size).toBe(1);
    const [first = page] = streaming;
    await first.goto('/console/nowhere');
    // Another tab takes over.
    await eventually(() => streaming.size === 1 && !streaming.has(first)).toBe(true);
    await service.misbehave({ video: '*', mode: 'off' });
    const others = tabs.filter((tab) => tab !== first);
    for (const tab of others) await tab.getByText(/credits charged$/).waitFor({ timeout: 60_000 });
    await Promise.all(tabs.filter((tab) => tab !== page).map((tab) => tab.close()));
  });
});

import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { MediaInfo } from '../../contract/kinds/media-info.ts';
import { eventually, PHONE, startConsoleBrowser, type ConsoleBrowser } from '../helpers/console.ts';
import { imgnetIndex, postUrl } from '../helpers/imgnet.ts';
import { probe, runTool } from '../helpers/media.ts';
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

const searchOf = (kind: string): string =>
  `/console?q=${encodeURIComponent(`${service.sandbox.url}/watch?v=${service.videoId(kind)}`)}`;

it('fetches a section of a video as an MP3 with tags, and shows that its sound was converted', async () => {
  await browser.within({}, async ({ page, go, violations, overflow }) => {
    await go(searchOf('ordinary'));
    await page.getByText('Choose how the file is made').click();
    const choices = page.locator('details', { hasText: 'Choose how the file is made' });
    await choices.getByLabel('Format').selectOption('Audio');
    await choices.getByLabel('Container').selectOption('MP3');
    await choices.getByLabel('Section').selectOption('From one time to another');
    await choices.getByLabel('From', { exact: true }).fill('0:04');
    await choices.getByLabel('To', { exact: true }).fill('9.5');
    await choices.getByLabel('File name').fill('{title}, a part');
    await choices.getByRole('checkbox', { name: 'Tags' }).check();
    expect([await violations(), await overflow()]).toEqual([[], 0]);
    await choices.getByRole('button', { name: 'Fetch this file' }).click();

    await page.getByText('Converted', { exact: true }).waitFor({ timeout: 60_000 });
    const link = page.getByRole('link', { name: /^MP3, / });
    expect(await page.locator('audio').count()).toBe(1);
    const url = new URL((await link.getAttribute('href')) ?? '', page.url()).href;
    const { streams, duration } = await probe(url);
    expect(streams.map(({ codec_name: codec }) => codec)).toEqual(['mp3']);
    expect(duration).toBeGreaterThan(5);
    expect(duration).toBeLessThan(6);
    const shown = await runTool(inject('tools').ffprobe, ['-v', 'error', '-show_format', '-of', 'json', url]);
    const { tags } = (JSON.parse(shown.toString()) as { format: { tags: Record<string, string> } }).format;
    expect(tags['title']).toBe('How long should tea brew?');
    const { headers } = await fetch(url);
    expect(headers.get('content-disposition')).toContain('a%20part.mp3');
    expect([await violations(), await overflow()]).toEqual([[], 0]);
  });
}, 180_000);

it('offers the heights, languages and chapters of the page, and only what a container can hold', async () => {
  await browser.within({ viewport: PHONE, colorScheme: 'dark' }, async ({ page, go, violations, overflow }) => {
    await page.route(/\/api\/media\/info$/, async (route) => {
      const answer = await route.fetch();
      const info = (await answer.json()) as MediaInfo;
      const more = {
        chapters: [{ title: 'The pot', start: 3, end: 9 }],
        audio_languages: [
          { language: 'en', is_original: true },
          { language: 'de', is_original: false },
        ],
      };
      await route.fulfill({ response: answer, json: { ...info, ...more } });
    });
    await go(searchOf('hd1080'));
    await page.getByText('Choose how the file is made').click();
    const optionsOf = (label: string): Promise<string[]> => page.getByLabel(label).locator('option').allInnerTexts();
    expect(await optionsOf('Height')).toEqual(expect.arrayContaining(['The highest', '1080p']));
    expect(await optionsOf('Language of the sound')).toEqual(['Original', 'German']);
    expect(await optionsOf('Section')).toContain('0:03 The pot');
    await page.getByLabel('Height').selectOption('1080p');
    await page.getByLabel('Language of the sound').selectOption('German');
    await page.getByLabel('Section').selectOption('0:03 The pot');
    await page.getByText('Cut the section to the frame').click();
    for (const name of ['Cover', 'Captions']) await page.getByRole('checkbox', { name, exact: true }).check();
    await page.getByText('Segments that viewers reported').click();
    await page.getByLabel('Sponsors').selectOption('Cut out');
    await page.getByLabel('Intro').selectOption('Mark as chapter');
    expect([await violations(), await overflow()]).toEqual([[], 0]);
    const sent = async (): Promise<unknown> => {
      const [request] = await Promise.all([
        page.waitForRequest(/\/api\/downloads\/media$/),
        page.getByRole('button', { name: 'Fetch this file' }).click(),
      ]);
      return request.postDataJSON();
    };
    await page.route(/\/api\/downloads\/media$/, (route) => route.fulfill({ status: 503, json: {} }));
    const common = { sound_language: 'de', section: { chapter: 'The pot' }, max_height: 1080 };
    expect(await sent()).toMatchObject({
      ...{ ...common, format: 'video', container: 'mp4', section: { chapter: 'The pot', exact: true } },
      ...{ embed: ['cover', 'captions'], sponsorblock: { mark: ['intro'], remove: ['sponsor'] } },
    });
    // WebM holds no cover, and is only copied.
    await page.getByLabel('Container').selectOption('WEBM');
    expect(await sent()).toMatchObject({
      ...{ ...common, format: 'video', container: 'webm', section: { chapter: 'The pot', exact: false } },
      ...{ embed: ['captions'], sponsorblock: { mark: ['intro'] } },
    });
  });
}, 180_000);

it('fetches the pictures and videos of a post to keep, and shows them', async () => {
  await browser.within({ viewport: PHONE }, async ({ page, go, violations, overflow }) => {
    await go(`/console?q=${encodeURIComponent(postUrl(await imgnetIndex(service), 'carousel', 1))}`);
    await page.getByRole('button', { name: 'Fetch: Files' }).click();
    await page.getByRole('heading', { name: '4 files' }).waitFor({ timeout: 60_000 });
    await page
      .getByRole('link', { name: /^PNG, / })
      .nth(1)
      .scrollIntoViewIfNeeded();
    const widths = "[...document.querySelectorAll('.player img')].map((one) => one.naturalWidth)";
    await eventually(() => page.evaluate(widths)).toEqual([320, 320]);
    expect(await page.locator('.player video').count()).toBe(2);
    expect([await violations(), await overflow()]).toEqual([[], 0]);
  });
}, 120_000);

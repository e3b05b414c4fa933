import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../../local/webhook-receiver.ts';
import {
  eventually,
  PHONE,
  startConsoleBrowser,
  type ConsoleBrowser,
  type ConsolePage,
  type Look,
  expectShownAsText,
  hostile,
  MARKUP,
} from './console.ts';
import { makeKey } from '../fuzz/key.ts';
import { imgnetIndex, postUrl } from './imgnet.ts';
import { TestService } from './service.ts';

/** Every way through the console, by callers with an API key or without. */
export function describeConsole({ hasKey }: { readonly hasKey: boolean }): void {
  let service: TestService;
  let browser: ConsoleBrowser;
  let receiver: WebhookReceiver;
  let key: string | undefined;
  beforeAll(async () => {
    service = await TestService.shared();
    if (hasKey) key = await makeKey(service.stack);
    browser = await startConsoleBrowser(service.stack.restUrl);
    receiver = await startWebhookReceiver();
  }, 20 * 60_000);
  afterAll(async () => {
    await browser.close();
    await receiver.close();
    await service.stop();
  });

  /** Runs a test in a page of its own, in which nothing may go wrong unseen. */
  const inPage = (test: (opened: ConsolePage) => Promise<void>, look: Look = {}) =>
    [{ timeout: 180_000 }, () => browser.within({ ...look, key }, test)] as const;
  const withKey = (): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` });
  const onPhone = { viewport: PHONE, colorScheme: 'dark' } as const;
  /** What somebody has come to by the keyboard. */
  const FOCUSED = '((one) => one.ariaLabel ?? one.textContent.trim())(document.activeElement)';
  const urlOf = (kind: string): string => `${service.sandbox.url}/watch?v=${service.videoId(kind)}`;
  const urlIn = async (what: 'channels' | 'accounts', kind = 'ordinary'): Promise<string> =>
    (await imgnetIndex(service))[what].find((one) => one.case === kind)?.url ?? '';
  const slowly = (videoId: string, bytesPerSecond: number): Promise<void> =>
    service.misbehave({ video: videoId, target: 'media', mode: 'slow', bytes_per_second: bytesPerSecond });

  describe(hasKey ? 'in the console, with a key' : 'in the console', () => {
    it(
      'takes a link that a phone shares within a text, and offers a bookmarklet',
      ...inPage(async ({ page, go, violations }) => {
        await go(`/console?text=${encodeURIComponent(`A talk: ${urlOf('ordinary')}`)}`);
        await page.getByRole('heading', { name: 'Video on the video platform' }).waitFor();
        const bookmarklet = await page.getByRole('link', { name: 'Fetch with Tapedeck' }).getAttribute('href');
        expect(bookmarklet).toMatch(
          /^javascript:location\.href='http.*\/console\?q='\+encodeURIComponent\(location\.href\)$/,
        );
        expect(await violations()).toEqual([]);
      }),
    );

    it(
      'shows prices for a pasted URL, and plays the audio after one click, a reload and a lost connection',
      ...inPage(async ({ page, context, go, violations }) => {
        const videoId = service.videoId('ordinary');
        await slowly(videoId, 25_000);
        await go('/');
        expect(new URL(page.url()).pathname).toBe('/console');
        await page.getByLabel('A link, handle or id').fill(urlOf('ordinary'));
        await page.getByRole('heading', { name: 'Video on the video platform' }).waitFor();
        const offers = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Fetch/ }) });
        expect((await offers.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))).toEqual([
          expect.stringMatching(/^Audio .* 0\.005 credits Fetch$/),
          expect.stringMatching(/^Transcript with speakers .* 0\.005 credits \+ 0\.006 \/ minute Fetch$/),
          expect.stringMatching(/^Video .* 0\.010 credits Fetch$/),
          expect.stringMatching(/^Captions .* 0\.003 credits Fetch$/),
        ]);
        expect(await violations()).toEqual([]);
        await page.getByRole('button', { name: 'Fetch: Audio' }).click();
        await page.getByText(/kB of \d+ kB/).waitFor();
        await page.getByText(/B a second/).waitFor();
        await page.getByText('Live', { exact: true }).waitFor();
        expect(await page.getByRole('list', { name: 'Stages' }).getByRole('listitem').allInnerTexts()).toContain(
          'Fetching',
        );
        await page.reload();
        await page.getByText(/kB of \d+ kB/).waitFor();
        expect(await violations()).toEqual([]);
        await context.setOffline(true);
        await page.getByText('Connection lost').waitFor();
        await context.setOffline(false);
        await page.getByRole('heading', { name: 'How long should tea brew?', level: 1 }).waitFor();
        await service.misbehave({ video: videoId, mode: 'off' });
        await page.getByLabel(`Audio ${videoId}`).waitFor();
        await eventually(() => page.evaluate<number>("document.querySelector('audio').duration")).toBeGreaterThan(20);
        await page.getByText('0.005 credits charged').waitFor();
        expect(await violations()).toEqual([]);
      }),
    );

    it(
      'a transcript with speakers is one click too; it plays word by word, takes names, is searched and saved',
      ...inPage(async ({ page, go, violations }) => {
        await go(`/console?q=${encodeURIComponent(urlOf('automatic_captions'))}`);
        await page.getByRole('button', { name: 'Fetch: Transcript with speakers' }).click();
        await page.getByText(/^2 speakers/).waitFor({ timeout: 120_000 });
        const lines = page.getByRole('region', { name: 'Lines of the transcript' }).getByRole('listitem');
        // The curve is drawn from the sound.
        await page.locator('.waveform canvas').first().waitFor();
        expect(await page.getByText('Drawn from the transcript').count()).toBe(0);
        expect(
          await page.getByRole('img', { name: /^Who speaks when.*Speaker 1 \d+ %, Speaker 2 \d+ %/ }).count(),
        ).toBe(1);

        await lines.nth(1).locator('[data-word="0"]').click();
        const time = await lines.nth(1).getByRole('button').innerText();
        const [minutes = 0, seconds = 0] = time.split(':').map(Number);
        const moment = await page.evaluate<number>("document.querySelector('audio').currentTime");
        expect(moment).toBeGreaterThanOrEqual(minutes * 60 + seconds);
        expect(moment).toBeLessThan(minutes * 60 + seconds + 3);
        await page.locator('.word-now').first().waitFor();
        await page.evaluate("document.querySelector('audio').pause()");

        await page.getByLabel('Name of Speaker 1').fill('Anna <b>');
        await page.keyboard.press('Tab');
        await eventually(() => page.locator('.voice-name').allInnerTexts()).toContain('Anna <b>');
        const saved = async (format: string): Promise<string> => {
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('group', { name: 'Save the transcript as' }).getByRole('button', { name: format }).click(),
          ]);
          const name = `${service.videoId('automatic_captions')}.speakers.${format.toLowerCase()}`;
          expect(download.suggestedFilename()).toBe(name);
          return readFile(await download.path(), 'utf8');
        };
        // The rest of each format is in test/api/speaker-names.test.ts.
        for (const format of ['SRT', 'VTT', 'TXT', 'RTTM', 'JSON'])
          expect(await saved(format)).toMatch(/Anna[ _](?:<|&lt;)b/);

        const word = (await lines.nth(0).locator('[data-word="0"]').innerText()).replace(/\W/g, '');
        await page.getByLabel('Search the transcript').fill(word.toUpperCase());
        await page.getByText(/^1 of \d+$/).waitFor();
        await page.locator('.word-hit').first().waitFor();
        expect(await violations()).toEqual([]);
        await page.reload();
        await eventually(() => page.getByLabel('Name of Speaker 1').inputValue()).toBe('Anna <b>');
      }),
    );

    it(
      'shows picture, title and length of a page before anything is bought, and fetches a recording that is dropped',
      ...inPage(async ({ page, go, violations }) => {
        await go(`/console?q=${encodeURIComponent(urlOf('no_captions'))}`);
        const look = page.getByRole('region', { name: 'About the page' });
        await look.getByRole('heading').waitFor();
        await look.getByText('Length').waitFor();
        await look.locator('img').waitFor();
        expect(await look.locator('img').getAttribute('src')).toMatch(/^blob:/);
        expect(await violations()).toEqual([]);

        const bytes = await readFile(new URL('../../local/sandbox/catalogue/media/tea/140.m4a', import.meta.url));
        await page.evaluate(`(() => {
          const data = new DataTransfer();
          const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (one) => one.charCodeAt(0));
          data.items.add(new File([bytes], 'Tea at five.m4a', { type: 'audio/mp4' }));
          document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        })()`);
        await page.getByRole('heading', { name: 'Tea at five.m4a', level: 1 }).waitFor({ timeout: 60_000 });
        await eventually(() => page.evaluate<number>("document.querySelector('audio').duration")).toBeGreaterThan(20);
        expect(await violations()).toEqual([]);
        await page.getByRole('button', { name: 'Transcribe' }).click();
        const lines = page.getByRole('region', { name: 'Lines of the transcript' });
        await lines.getByText('Another').first().waitFor({ timeout: 120_000 });
      }),
    );

    it(
      'keeps the focus and the text of a user who types while a page or a search appears',
      ...inPage(async ({ page, go }) => {
        await go('/console/nowhere');
        // Both scripts act at the earliest moment at which a user could.
        await page.evaluate(`new MutationObserver((_, observer) => {
          const field = document.querySelector('form[role=search] input');
          if (field === null) return;
          observer.disconnect();
          field.focus();
        }).observe(document.body, { childList: true, subtree: true })`);
        await page.getByRole('link', { name: 'Fetch', exact: true }).click();
        const field = page.getByLabel('A link, handle or id');
        await field.waitFor();
        await page.evaluate(`{
          const replaceState = history.replaceState.bind(history);
          history.replaceState = (...state) => {
            history.replaceState = replaceState;
            replaceState(...state);
            const field = document.querySelector('form[role=search] input');
            field.value += 'XY';
            field.dispatchEvent(new InputEvent('input', { bubbles: true }));
          };
        }`);
        await page.keyboard.type('nasa');
        await eventually(() => new URL(page.url()).searchParams.get('q')).toBe('nasaXY');
        expect(await field.inputValue()).toBe('nasaXY');
      }),
    );

    it(
      'shows a failure in plain words with what can be done, and tries again, all by the keyboard',
      ...inPage(async ({ page, go, violations }) => {
        await go('/console/nowhere');
        await page.keyboard.press('Tab');
        await page.getByRole('link', { name: 'Skip to the content' }).waitFor();
        await page.getByRole('link', { name: 'Fetch', exact: true }).focus();
        await page.keyboard.press('Enter');
        await page.getByLabel('A link, handle or id').focus();
        await page.keyboard.type(service.videoId('private'));
        const pressWith = async (name: string): Promise<void> => {
          const button = page.getByRole('button', { name });
          await button.waitFor();
          const focused = (): Promise<string> => page.evaluate<string>(FOCUSED);
          for (let tabs = 0; (await focused()) !== name; tabs += 1) {
            expect(tabs).toBeLessThan(30);
            await page.keyboard.press('Tab');
          }
          await page.keyboard.press('Enter');
        };
        await pressWith('Fetch: Audio');
        await page.getByRole('heading', { name: 'The video is private.' }).waitFor();
        await page.getByText('Only its owner can change that.').waitFor();
        await page.getByText('nothing charged').waitFor();
        expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
        expect(await violations()).toEqual([]);
        const before = page.url();
        await pressWith('Try again');
        await eventually(() => page.url()).not.toBe(before);
        await page.getByRole('heading', { name: 'The video is private.' }).waitFor();
      }),
    );

    it(
      'a job that waits says why and until when; a webhook is shown with its attempts, and delivered again',
      ...inPage(async ({ page, go, violations, overflow }) => {
        await service.misbehave({ video: '*', target: 'page', mode: '429', retry_after_seconds: 4 });
        await go(`/console?q=${encodeURIComponent(urlOf('no_captions'))}`);
        await page.getByText('Notify a webhook').click();
        await page.getByLabel('URL that is sent the result').fill(`${receiver.url}/console`);
        await page.getByRole('button', { name: 'Fetch: Audio' }).click();
        await page.getByText(/^It goes on/).waitFor();
        await service.misbehave({ video: '*', mode: 'off' });
        expect([await violations(), await overflow()]).toEqual([[], 0]);
        await page.getByText('Delivered', { exact: true }).waitFor({ timeout: 60_000 });
        await page.getByRole('button', { name: 'Deliver again' }).click();
        await page.getByText('Attempt 2').waitFor();
        expect([await violations(), await overflow()]).toEqual([[], 0]);
      }, onPhone),
    );

    it(
      'a running job is cancelled after a question',
      ...inPage(async ({ page, go }) => {
        const videoId = service.videoId('hd1080');
        await slowly(videoId, 20_000);
        await go(`/console?q=${videoId}`);
        await page.getByRole('button', { name: 'Fetch: Video' }).click();
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: 'Yes' }).click();
        await page.getByText('It was cancelled. It can be started again.').waitFor();
        await service.misbehave({ video: videoId, mode: 'off' });
      }),
    );

    it(
      'a channel is a table that is sorted and searched, and of which several are fetched at once',
      ...inPage(async ({ page, go, violations, overflow }) => {
        await go(`/console?q=${encodeURIComponent(await urlIn('channels'))}`);
        await page.getByRole('button', { name: 'Fetch: Channel' }).click();
        const table = page.getByRole('table', { name: 'Videos of the channel' });
        await table.waitFor({ timeout: 60_000 });
        await table.getByRole('button', { name: 'Title' }).click();
        const titles = (): Promise<string[]> => table.locator('.row-title').allInnerTexts();
        const ascending = await titles();
        expect(ascending.length).toBeGreaterThan(1);
        expect(ascending).toEqual(ascending.toSorted((a, b) => a.localeCompare(b, 'en')));
        expect([await violations(), await overflow()]).toEqual([[], 0]);
        const last = ascending.at(-1) ?? '';
        await page.getByLabel('Filter by title').fill(last);
        await eventually(titles).toEqual([last]);
        await table.getByRole('checkbox').nth(1).check();
        await page.getByLabel('Filter by title').fill('');
        await table.getByRole('checkbox').nth(1).check();
        await page.getByText(/, 2 chosen$/).waitFor();
        await page.getByRole('button', { name: 'Captions 0.006' }).click();
        await page.getByRole('heading', { name: 'Batch of 2 items' }).waitFor();
        await page.getByRole('heading', { name: '2 of 2' }).waitFor({ timeout: 60_000 });
        await page.locator('.job-row').nth(1).waitFor();
        expect([await violations(), await overflow()]).toEqual([[], 0]);
        await page.getByLabel('State').selectOption('waiting');
        await page.getByText('No item is in this state.').waitFor();
        await page.getByRole('link', { name: 'Batches' }).click();
        await page.getByRole('link', { name: 'Batch of 2 items' }).first().waitFor();
        expect([await violations(), await overflow()]).toEqual([[], 0]);
      }, onPhone),
    );

    it(
      'a profile leads to its lists, and a post shows its pictures and numbers',
      ...inPage(async ({ page, go, violations }) => {
        await go(`/console?q=${encodeURIComponent(await urlIn('accounts'))}`);
        await page.getByRole('button', { name: 'Fetch: Profile' }).click();
        await page.getByRole('button', { name: 'Fetch the lists' }).waitFor();
        await page.getByText('1,523 Followers').waitFor();
        expect(await violations()).toEqual([]);
        await page.getByRole('button', { name: 'Fetch the lists' }).click();
        await page.getByRole('table', { name: /^Posts of/ }).waitFor({ timeout: 60_000 });
        await page.getByRole('link', { name: 'a job of their own' }).waitFor();
        expect(await violations()).toEqual([]);
        await go(`/console?q=${encodeURIComponent(postUrl(await imgnetIndex(service), 'carousel'))}`);
        await page.getByRole('button', { name: 'Fetch: Post' }).click();
        const widths = "[...document.querySelectorAll('.pictures img')].map((one) => one.naturalWidth)";
        await eventually(() => page.evaluate(widths)).toEqual([320, 320]);
        await page.getByText(/^[\d,]+ Likes$/).waitFor();
        expect(await violations()).toEqual([]);
      }),
    );

    it(
      'jobs are filtered, and new ones come by themselves; an account is that of a key',
      ...inPage(async ({ page, go, violations }) => {
        // Other files may have requested lists that failed.
        const since = encodeURIComponent(new Date().toISOString());
        await go(`/console/jobs?type=list&created_after=${since}`);
        await page.getByLabel('State').selectOption('failed');
        await page.waitForURL(/status=failed/);
        await page.getByText('No job matches these filters.').waitFor();
        const body = { url: await urlIn('channels', 'removed') };
        await service.request('POST', '/api/channel/profile', { body, headers: withKey() });
        const row = page.getByRole('link', { name: /^Channel.*Failed/ });
        await row.waitFor();
        expect(await page.locator('.jobs .status').allInnerTexts()).toEqual(['Failed']);
        expect(await violations()).toEqual([]);
        await row.click();
        await page.getByRole('link', { name: 'Account' }).click();
        const account = key === undefined ? 'Without an API key nothing is charged' : 'Newest charges';
        await page.getByText(account).waitFor();
        expect(await violations()).toEqual([]);
      }),
    );

    it(
      'nothing runs that somebody has written',
      ...inPage(async ({ page, go, violations }) => {
        const body = { vidnet_video_id: service.videoId('ordinary'), language: 'en', include_comments: true };
        const headers = { prefer: 'wait=60', ...withKey() };
        const { body: made } = await service.request<{ download: { id: string } }>('POST', '/api/transcripts', {
          body,
          headers,
        });
        const { id } = made.download;
        await page.route(/\/downloads\//, async (route) => {
          const answer = await route.fetch();
          await route.fulfill({ response: answer, json: hostile(await answer.json()) });
        });
        await go(`/console/jobs/${id}`);
        await page.getByText('7 comments').waitFor();
        expect(await page.getByText(MARKUP).count()).toBeGreaterThan(8);
        await expectShownAsText(page);
        expect(await violations()).toEqual([]);
      }),
    );
  });
}

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleBrowser, type ConsoleBrowser } from '../helpers/console.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { TestService } from '../helpers/service.ts';
import { always, startTranscriptionServer, type TranscriptionServer } from '../helpers/transcription-server.ts';

const TEA = new URL('../../local/sandbox/catalogue/media/tea/140.m4a', import.meta.url);
let words: TranscriptionServer;
let service: TestService;
let browser: ConsoleBrowser;
let site: RecordedSite;
beforeAll(async () => {
  words = await startTranscriptionServer({
    product: 'whisper-1',
    instead: always('One says this. Another says that.'),
  });
  service = await TestService.start({ env: { SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url } });
  browser = await startConsoleBrowser(service.stack.restUrl);
  site = await RecordedSite.start();
  site.set('/talk.m4a', { type: 'audio/mp4', body: await readFile(TEA) });
}, 20 * 60_000);
afterAll(async () => {
  await browser.close();
  await service.stop();
  await site.stop();
  await words.stop();
});

it(
  'a page that is pasted and a recording show cost and time, and become a transcript to read by one click',
  () =>
    browser.within({}, async ({ page, go, violations }) => {
      const lines = page.getByRole('region', { name: 'Lines of the transcript' });
      const search = `/console?q=${encodeURIComponent(`${site.url}/talk.m4a`)}`;
      await go(search);
      await page.getByRole('button', { name: 'Fetch: Captions' }).click();
      await page.getByText('The video has no captions.').waitFor({ timeout: 120_000 });
      await lines.getByText('Another').first().waitFor();
      expect(await violations()).toEqual([]);

      // The speed is known now, and of most pages the length.
      const video = `${service.sandbox.url}/watch?v=${service.videoId('no_captions')}`;
      await go(`/console?q=${encodeURIComponent(video)}`);
      await page.getByText(/^0\.011 credits for 0:\d\d; the transcription takes about \d+ s here$/).waitFor();
      await go(search);
      await page.getByText(/^The transcription of a minute takes about \d+ s here$/).waitFor();
      await page.getByRole('button', { name: 'Fetch: Transcript with speakers' }).click();
      await page.getByRole('list', { name: 'Speakers' }).waitFor({ timeout: 60_000 });
      await lines.getByText('Another').first().waitFor();

      await go('/console');
      const recording = { name: 'Tea.m4a', mimeType: 'audio/mp4', buffer: await readFile(TEA) };
      await page.getByLabel('A recording', { exact: true }).setInputFiles(recording);
      const offer = page.getByRole('region', { name: 'Transcript with speakers' });
      await offer.getByText(/^It takes about \d+ s here\.$/).waitFor({ timeout: 60_000 });
      await offer.getByText('0.006').waitFor();
      await offer.getByRole('button', { name: 'Transcribe' }).click();
      await lines.getByText('Another').first().waitFor({ timeout: 60_000 });
      expect(await violations()).toEqual([]);
    }),
  240_000,
);

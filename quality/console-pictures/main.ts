// npm run pictures [-- FOLDER]: each page of the console in one picture: light and dark, on a desk and on a phone.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium as playwright, type Browser } from 'playwright-core';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { chromium } from '../../local/engines/chromium.ts';
import { ensure } from '../../local/engines/strategies.ts';
import { ensureTools } from '../../local/engines/tools.ts';
import { BUILT_IN_CATALOGUE, startSandbox } from '../../local/sandbox/server.ts';
import { startStack, withoutSettings } from '../../local/stack.ts';
import { exampleAccount } from './account.ts';
import { preparedPages } from './pages.ts';

/** Tools that the machine has, and its speech engine. */
const TAKEN_OVER = /^((YTDLP|FFMPEG|FFPROBE|CHROMIUM)_PATH|SPEECH_.+)$/;
const LOOKS = [
  { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const;
const SHOWN_HEIGHT = 560;
const QUALITY = 82;

const folder = resolve(process.argv[2] ?? 'docs/pictures');
const log = (line: string): void => console.error(line);
const env = withoutSettings(process.env, TAKEN_OVER);
const cacheDir = defaultCacheDir(env);
const program = await ensure(chromium({ env, cacheDir, log }), log);
const { ytdlp, ffmpeg, ffprobe } = await ensureTools({ env, cacheDir, log });
const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-pictures-'));
const sandbox = await startSandbox({
  ...{ catalogueDir: BUILT_IN_CATALOGUE, cacheDir: join(cacheDir, 'sandbox'), port: 0, ffmpeg, ffprobe, log },
  snapshots: { collectMs: 0, buildMs: 0 },
});
try {
  const tools = { YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe };
  const stack = await startStack({
    env: { ...env, ...tools, RATE_LIMIT_PER_MINUTE: '1000000', ...sandbox.env },
    ...{ dataDir, cacheDir, services: ['api', 'worker'], ports: 'free', log, output: { dir: dataDir } },
  });
  const browser = await playwright.launch({ executablePath: program.value, args: ['--disable-gpu'] });
  try {
    await mkdir(folder, { recursive: true });
    for await (const [name, path] of preparedPages(stack.restUrl, sandbox)) {
      const looks: Buffer[] = [];
      for (const look of LOOKS) looks.push(await pictureOf(browser, stack.restUrl + path, look));
      await putTogether(browser, looks, join(folder, `${name}.jpg`));
      console.log(join(folder, `${name}.jpg`));
    }
  } finally {
    await browser.close();
    await stack.stop();
  }
} finally {
  await sandbox.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function pictureOf(browser: Browser, url: string, look: (typeof LOOKS)[number]): Promise<Buffer> {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  await page.route('**/api/account?**', (route) => route.fulfill({ json: exampleAccount() }));
  if (url.endsWith('/account')) await page.addInitScript("sessionStorage.setItem('tapedeck.key', 'td_example')");
  await page.goto(url);
  await page.locator('h1').waitFor();
  // Curves, plots, pictures and the progress of jobs appear after the first drawing.
  await page.locator('.loading').first().waitFor({ state: 'hidden' });
  await page.waitForTimeout(2_000);
  const picture = await page.screenshot();
  await context.close();
  return picture;
}

async function putTogether(browser: Browser, pictures: readonly Buffer[], path: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 2200, height: SHOWN_HEIGHT } });
  const images = pictures.map(
    (one) => `<img height="${String(SHOWN_HEIGHT)}" src="data:image/png;base64,${one.toString('base64')}">`,
  );
  await page.setContent(
    `<div id="all" style="display:inline-flex;gap:12px;padding:12px;background:#888">${images.join('')}</div>`,
  );
  await page.locator('img').last().waitFor();
  await page.locator('#all').screenshot({ path, type: 'jpeg', quality: QUALITY });
  await page.close();
}

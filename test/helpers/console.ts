import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { chromium as chromiumTool } from '../../local/engines/chromium.ts';
import { ensure } from '../../local/engines/strategies.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Of the other theme the colours: nothing else differs. */
const FIND_VIOLATIONS = `(async () => {
  const found = [];
  const find = async (runOnly) => {
    // Copies of the page's styles, which no rule of these levels needs, are what its policy refuses.
    const { violations } = await axe.run(document, { preload: false, runOnly });
    for (const { id, nodes } of violations) for (const { html } of nodes) found.push(id + ': ' + html.slice(0, 200));
  };
  const look = document.documentElement.dataset;
  const own = look.theme;
  await find(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']);
  look.theme = own === 'dark' ? 'light' : 'dark';
  await find({ type: 'rule', values: ['color-contrast'] });
  look.theme = own;
  return found;
})()`;
/** A busy machine draws late. */
const WITHIN_MS = 20_000;

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface Look {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** The API key that the tab has. */
  readonly key?: string | undefined;
}

/** A page of the console in a real browser. */
export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly go: (path: string) => Promise<void>;
  /** What axe finds against WCAG A and AA, in light and dark, in lines. */
  readonly violations: () => Promise<string[]>;
  /** How far the page is wider than its window, in pixels. */
  readonly overflow: () => Promise<number>;
}

export interface ConsoleBrowser {
  /** @throws also when something went wrong in the page unseen, or its policy had to refuse something */
  within(look: Look, test: (opened: ConsolePage) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** What is so after a while. */
export const eventually = <Value>(ask: () => Promise<Value> | Value) =>
  expect.poll(ask, { timeout: WITHIN_MS, interval: 100 });

/**
 * Sets up a Chromium when needed. All tests use one page, one after the other: each page has a process of its own.
 *
 * @throws {NoWayError} that says what to install
 */
export async function startConsoleBrowser(serviceUrl: string): Promise<ConsoleBrowser> {
  const log = (line: string): void => console.log(line);
  const found = await ensure(chromiumTool({ env: process.env, cacheDir: defaultCacheDir(process.env), log }), log);
  const browser = await chromium.launch({ executablePath: found.value, args: ['--disable-gpu'] });
  // What moves is drawn sixty times a second.
  const context = await browser.newContext({ baseURL: serviceUrl, reducedMotion: 'reduce' });
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  const axe = await readFile(AXE, 'utf8');
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  // Refused requests are part of the tests; what the page itself says is not.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) wrong.push(message.text());
  });
  const opened: ConsolePage = {
    page,
    context,
    async go(path) {
      await page.goto(path);
      await page.locator('h1').waitFor();
    },
    async violations() {
      await page.evaluate(axe);
      return page.evaluate<string[]>(FIND_VIOLATIONS);
    },
    overflow: () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
  };
  return {
    async within({ viewport = DESKTOP, colorScheme = 'light', key }, test) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      wrong.length = 0;
      if (key !== undefined) {
        await page.goto('/console/nowhere');
        await page.evaluate(`sessionStorage.setItem('tapedeck.key', '${key}')`);
      }
      try {
        await test(opened);
      } finally {
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await context.setOffline(false);
        await page.evaluate('localStorage.clear(); sessionStorage.clear()').catch(() => undefined);
      }
      expect(wrong).toEqual([]);
    },
    close: () => browser.close(),
  };
}

export const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const LINK = 'javascript:window.hacked=1';
/** Names of what stays as it is, so that an answer still is one. */
const KEPT = /^(?:status|type|id|index|kind|language|start|dur|duration|cost|.*(?:date|time|_at|At)|list_id)$/;

/** The same answer, in which somebody has written everything that can be written. */
export function hostile(value: unknown): unknown {
  return withTexts(value, (text) => (/^https?:/.test(text) ? LINK : `${text} ${MARKUP}`));
}

/** Returns the same answer with other texts. */
export function withTexts(value: unknown, textOf: (text: string) => string, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withTexts(one, textOf, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one, textOf, key)]));
  }
  return typeof value !== 'string' || KEPT.test(name) ? value : textOf(value);
}

/** The page shows it as the text that it is. */
export async function expectShownAsText(page: Page): Promise<void> {
  await page.getByText(MARKUP).nth(1).waitFor();
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  // The bookmarklet of the page is the only other link with a program.
  const links = '[href^="javascript:"]:not([href^="javascript:location.href="]), [src^="javascript:"]';
  expect(await page.locator(`img[src="x"], main script, ${links}`).count()).toBe(0);
}

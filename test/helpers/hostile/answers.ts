import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export const MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const LINK = 'javascript:window.hacked=1';
/** Names of what stays as it is, so that an answer still is one. */
const KEPT = /^(?:status|type|id|index|kind|language|start|dur|duration|cost|.*(?:date|time|_at|At)|list_id)$/;

/** The same answer, in which somebody has written everything that can be written. */
export function hostile(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => hostile(one, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, hostile(one, key)]));
  }
  if (typeof value !== 'string' || KEPT.test(name)) return value;
  return /^https?:/.test(value) ? LINK : `${value} ${MARKUP}`;
}

/** The page shows it as the text that it is. */
export async function expectShownAsText(page: Page): Promise<void> {
  await page.getByText(MARKUP).nth(1).waitFor();
  expect(await page.evaluate('window.hacked')).toBeUndefined();
  expect(await page.locator('img[src="x"], main script, [href^="javascript:"], [src^="javascript:"]').count()).toBe(0);
}

import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, PHONE, startConsoleBrowser, type ConsoleBrowser } from '../helpers/console.ts';
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

it('fetches a list as a batch, subscribes to it, and shows the address of its feed, which can be revoked', async () => {
  await browser.within({ viewport: PHONE, colorScheme: 'dark' }, async ({ page, go, violations, overflow }) => {
    const { handle } = service.sandbox.channels.find((one) => one.case === 'ordinary')!;
    await go(`/console?q=${encodeURIComponent(`${service.sandbox.url}/${handle}`)}`);
    await page.getByLabel('Entries of a batch, at most').fill('2');
    expect([await violations(), await overflow()]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Fetch: Audio of all' }).click();
    await page.getByRole('heading', { name: '2 of 2' }).waitFor({ timeout: 60_000 });
    await page.goBack();
    await page.getByRole('link', { name: 'Subscribe to new entries' }).click();
    await page.getByRole('combobox', { name: 'Published' }).selectOption('all');
    await page.getByText(/nothing is fetched before you resume/).waitFor();
    expect([await violations(), await overflow()]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    await page.getByText(/^\d+ entries wait, for at most/).waitFor({ timeout: 60_000 });
    await page.getByText('Paused', { exact: true }).waitFor();
    await page.getByText('Nothing has been fetched yet.').waitFor();

    await page.getByRole('button', { name: 'Create a feed' }).click();
    const address = await page.locator('code', { hasText: '/feeds/' }).innerText();
    const status = async (): Promise<number> => (await fetch(address)).status;
    expect(await status()).toBe(200);
    expect([await violations(), await overflow()]).toEqual([[], 0]);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await eventually(status).toBe(404);

    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await page.locator('.job-row').first().waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('It was paused by a request.').waitFor();
    const path = new URL(page.url()).pathname;
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('heading', { name: 'Subscriptions', level: 1 }).waitFor();
    await page.getByText('There are no subscriptions yet.').waitFor();
    expect(await page.locator(`a[href="${path}"]`).count()).toBe(0);
    expect([await violations(), await overflow()]).toEqual([[], 0]);
  });
}, 180_000);

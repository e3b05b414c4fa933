import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { loadConsole } from '../../api/console/console-files.ts';

const FIRST_LOAD_BYTES = 200_000;

it('the built console is small and loads nothing from other hosts', async () => {
  const { page, assets } = await loadConsole();
  const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, url = '']) => url)
    .filter((url) => url !== '/docs');
  expect(named).toHaveLength(4);
  for (const url of named) expect(assets.has(url.replace('/console/assets/', ''))).toBe(true);
  // The size of all files; the first load is a part of it.
  const sizes = [...assets.values()].map(({ gzipped }) => gzipped.length);
  const bytes = gzipSync(page).length + sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
  for (const [name, { bytes: file, contentType }] of assets) {
    expect([name, contentType]).not.toEqual([name, 'application/octet-stream']);
    if (/\.(?:js|css)$/.test(name)) expect(file.toString()).not.toMatch(/\b(?:from|import|url\()\s*\(?["']?https?:/);
  }
  for (const name of ['preact', 'uplot', 'wavesurfer.js', '@tanstack/virtual-core']) {
    expect(assets.get('licences.md')?.bytes.toString()).toContain(`# ${name}\n`);
  }
});

it('has a manifest with which a phone shares links into the page, and whose icon is there', async () => {
  const { page, assets } = await loadConsole();
  expect(page).toContain('<link rel="manifest" href="/console/assets/manifest.json" />');
  const { bytes, contentType } = assets.get('manifest.json')!;
  expect(contentType).toBe('application/manifest+json');
  const manifest = JSON.parse(bytes.toString()) as { icons: { src: string }[]; share_target: object };
  expect(manifest.share_target).toEqual({ action: '/console', params: { title: 'title', text: 'text', url: 'q' } });
  for (const { src } of manifest.icons) expect(assets.has(src.replace('/console/assets/', ''))).toBe(true);
});

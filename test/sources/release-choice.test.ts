import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settings } from '../../config.ts';
import { createReleases, type ReleasesOptions } from '../../sources/vidnet/releases/releases.ts';
import { ytdlpSettingsOf } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { compareVersions, isOfChannel, isRelease } from '../../sources/vidnet/releases/release-version.ts';

describe('the version of a release of yt-dlp', () => {
  it.each([
    ['2026.10.26', '2026.9.30', 1],
    ['2026.08.19', '2026.8.19', 0],
    ['2026.10.26.232945.dev0', '2026.10.26', 1],
    ['2026.10.27', '2026.10.26.232945.dev0', 1],
    ['2026.8.27.231323.dev0', '2026.8.27.3630.dev0', 1],
  ])('is compared by its numbers: %s with %s', (one, other, sign) => {
    expect(Math.sign(compareVersions(one, other))).toBe(sign);
    expect(Math.sign(compareVersions(other, one))).toBe(-sign || 0);
  });

  it.each(['2026.10.26', '2026.8.9', '2026.8.27.0.dev0', '2026.8.27.1'])('may be %s', (version) => {
    expect(isRelease(version)).toBe(true);
  });

  it.each([
    ...['2026.10', '2026.10.26/..', '../2026.10.26', '2026.10.26.dev0', '2026.10.26rc1', '12026.1.1', ''],
    ...['2026.08.19', '2026.13.1', '2026.2.30', '2026.10.26\n', '2026.10.26.01'],
  ])('is never %j', (version) => {
    expect(isRelease(version)).toBe(false);
  });

  it('of a nightly release belongs to the nightly channel only', () => {
    const nightly = '2026.10.26.232945.dev0';
    expect([isOfChannel(nightly, 'nightly'), isOfChannel(nightly, 'stable')]).toEqual([true, false]);
    expect([isOfChannel('2026.10.26', 'nightly'), isOfChannel('2026.10.26', 'stable')]).toEqual([true, true]);
    expect(isOfChannel('2026.10.26', 'pinned')).toBe(false);
  });
});

describe('new jobs', () => {
  const chosenOf = async (installed: readonly string[], options: Partial<ReleasesOptions> = {}, refused = '') => {
    const folder = await mkdtemp(join(tmpdir(), 'tapedeck-releases-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    for (const version of installed) await mkdir(join(folder, version));
    const releases = createReleases({
      ...{ channel: 'stable', folder, indexUrl: 'http://127.0.0.1', pinnedVersion: '2026.10.26', ...options },
      ...{
        settings: ytdlpSettingsOf(settings.parse({})),
        onEvent: () => undefined,
        signal: AbortSignal.timeout(9_000),
      },
    });
    if (refused !== '') await releases.refuse(refused, 'a test');
    return (await releases.choose()).version;
  };

  it('use the newest release that was not refused', async () => {
    expect(await chosenOf(['2027.2.9', '2027.2.1', '2027.1.1'], {}, '2027.2.9')).toBe('2027.2.1');
  });

  it('use the pinned release when no other is newer', async () => {
    expect(await chosenOf(['2026.10.26', '2026.9.1'])).toBe('2026.10.26');
  });

  it('use a nightly release only on the nightly channel', async () => {
    const installed = ['2027.2.1.1230.dev0', '2027.1.1'];
    expect(await chosenOf(installed, { channel: 'nightly' })).toBe('2027.2.1.1230.dev0');
    expect(await chosenOf(installed)).toBe('2027.1.1');
  });
});

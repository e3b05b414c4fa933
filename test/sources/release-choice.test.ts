import { describe, expect, it } from 'vitest';
import { chooseRelease, type FolderState } from '../../sources/vidnet/releases/release-folder.ts';
import { compareVersions, isOfChannel, isRelease } from '../../sources/vidnet/releases/release-version.ts';

describe('the version of a release of yt-dlp', () => {
  it.each([
    ['2026.10.26', '2026.9.30', 1],
    ['2026.08.19', '2026.8.19', 0],
    ['2026.10.26.232945.dev0', '2026.10.26', 1],
    ['2026.10.27', '2026.10.26.232945.dev0', 1],
    ['2026.8.27.231323.dev0', '2026.8.27.3630.dev0', 1],
    ['main', '2026.1.1', -1],
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
  const chosenOf = (state: Partial<FolderState>, channel: 'stable' | 'nightly' = 'stable') =>
    chooseRelease({ installed: [], refused: [], chosen: undefined, ...state }, { pinned: '2026.10.26', channel });

  it('use the newest release that was not refused', () => {
    expect(chosenOf({ installed: ['2027.2.9', '2027.2.1', '2027.1.1'], refused: ['2027.2.9'] })).toBe('2027.2.1');
  });

  it('use the pinned release when no other is newer', () => {
    expect(chosenOf({ installed: ['2026.10.26', '2026.9.1'] })).toBe('pinned');
  });

  it('use a nightly release only on the nightly channel', () => {
    const installed = ['2027.2.1.1230.dev0', '2027.1.1'];
    expect([chosenOf({ installed }, 'nightly'), chosenOf({ installed })]).toEqual(['2027.2.1.1230.dev0', '2027.1.1']);
  });

  it("use the operator's choice, also an older release", () => {
    const installed = ['2027.2.1', '2026.9.1'];
    expect(chosenOf({ installed, chosen: '2026.9.1' })).toBe('2026.9.1');
    expect(chosenOf({ installed, chosen: 'pinned' })).toBe('pinned');
    expect(chosenOf({ installed, chosen: '2026.1.1' })).toBe('2027.2.1');
  });
});

import { describe, expect, it } from 'vitest';
import { chooseRelease, type FolderState } from '../../sources/vidnet/releases/release-folder.ts';
import { compareVersions, isOfChannel, isRelease } from '../../sources/vidnet/releases/release-version.ts';

describe('a version of yt-dlp', () => {
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

  it.each(['2026.10', '2026.10.26/..', '../2026.10.26', '2026.10.26.dev0', '2026.10.26rc1', '12026.1.1', ''])(
    'is none of another form: %j',
    (version) => expect(isRelease(version)).toBe(false),
  );

  it('of a night is of its own channel only', () => {
    const night = '2026.10.26.232945.dev0';
    expect([isOfChannel(night, 'nightly'), isOfChannel(night, 'stable')]).toEqual([true, false]);
    expect([isOfChannel('2026.10.26', 'nightly'), isOfChannel('2026.10.26', 'stable')]).toEqual([true, true]);
    expect(isOfChannel('2026.10.26', 'pinned')).toBe(false);
  });
});

describe('of several releases', () => {
  const good = (version: string) => ({ version, state: 'good' }) as const;
  const untried = (version: string) => ({ version, state: 'untried' }) as const;
  const refused = (version: string) => ({ version, state: 'refused' }) as const;
  const chosenOf = (releases: FolderState['releases'], chosen?: string, channel: 'stable' | 'nightly' = 'stable') =>
    chooseRelease({ releases, chosen }, { pinned: '2026.10.26', channel });
  const none = { current: undefined, older: undefined, candidate: undefined };

  it('the newest good one is used, and the one before is asked when that fails', () => {
    const there = [untried('2027.3.1'), refused('2027.2.9'), good('2027.2.1'), good('2027.1.1')];
    expect(chosenOf(there)).toEqual({ current: '2027.2.1', older: '2027.1.1', candidate: '2027.3.1' });
  });

  it('none is used that is as old as the pinned one or older', () => {
    expect(chosenOf([good('2026.10.26'), good('2026.9.1')])).toEqual(none);
  });

  it('one that is older than the one in use is not tried', () => {
    expect(chosenOf([good('2027.2.1'), untried('2027.1.1')])).toMatchObject({
      current: '2027.2.1',
      candidate: undefined,
    });
  });

  it('one of a night is not used any more where the channel is stable again', () => {
    const there = [good('2027.2.1.1230.dev0'), good('2027.1.1')];
    expect(chosenOf(there, undefined, 'nightly')).toMatchObject({ current: '2027.2.1.1230.dev0' });
    expect(chosenOf(there)).toEqual({ ...none, current: '2027.1.1' });
  });

  it("the operator's choice comes first, whatever it is", () => {
    const there = [untried('2027.3.1'), good('2027.2.1'), refused('2026.9.1')];
    expect(chosenOf(there, '2026.9.1')).toEqual({ current: '2026.9.1', older: '2027.2.1', candidate: undefined });
    expect(chosenOf(there, 'pinned')).toEqual(none);
  });
});

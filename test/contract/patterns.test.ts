import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { postReferenceOf, profileReferenceOf } from '../../contract/urls/imgnet-urls.ts';
import { canonicalLanguage, LANGUAGE_PATTERN } from '../../contract/text/language-tags.ts';
import {
  CHANNEL_URL_PATTERN,
  POST_URL_PATTERN,
  PROFILE_URL_PATTERN,
  WEBHOOK_URL_PATTERN,
} from '../../contract/urls/url-patterns.ts';
import { checkTarget } from '../../outbound/check-target.ts';

const NOTHING = new BlockList();
const isTarget = (url: string): boolean => checkTarget(url, NOTHING).ok;

/** Generates strings that match a pattern. Its look-aheads are removed and checked afterwards. */
function matching(pattern: string): fc.Arbitrary<string> {
  const exact = new RegExp(pattern, 'u');
  let simple = pattern;
  // Inner look-aheads are removed before outer ones.
  const lookAhead = /\(\?!((?:[^()[\]]|\[[^\]]*\]|\((?:[^()[\]]|\[[^\]]*\])*\))*)\)/;
  while (lookAhead.test(simple)) simple = simple.replace(lookAhead, '');
  return fc.stringMatching(new RegExp(simple)).filter((text) => exact.test(text));
}

describe('patterns in the schemas', () => {
  it.each([
    ['webhook URLs', WEBHOOK_URL_PATTERN, (text: string) => text.length > 2048 || isTarget(text)],
    ['channels', CHANNEL_URL_PATTERN, (text: string) => channelReferenceOf(text) !== undefined],
    ['profiles', PROFILE_URL_PATTERN, (text: string) => profileReferenceOf(text) !== undefined],
    ['posts', POST_URL_PATTERN, (text: string) => postReferenceOf(text) !== undefined],
    ['languages', LANGUAGE_PATTERN, (text: string) => canonicalLanguage(text) !== undefined],
  ])('is always taken: %s', (_what, pattern, isTaken) => {
    fc.assert(
      fc.property(matching(pattern), (text) => isTaken(text)),
      { numRuns: 2_000 },
    );
  });

  it('allows exactly the webhook URLs with a hostname that the guard allows', () => {
    const label = fc.constantFrom('a', 'hooks', 'a-b', 'a_b', '-a', 'a-', '', 'a'.repeat(63), 'a'.repeat(64), '0');
    const top = fc.constantFrom(
      'com',
      'example',
      'LAN',
      'local',
      'locale',
      'svc',
      'svcs',
      'c',
      '',
      'c0',
      'a'.repeat(63),
    );
    const port = fc.oneof(
      fc.constant(''),
      fc.integer({ min: 0, max: 70_000 }).map((number) => `:${String(number)}`),
      fc.constantFrom(':80', ':443', ':8080', ':6379', ':9200', ':27017', ':65535', ':65536', ':x'),
    );
    const rest = fc.constantFrom('', '/', '/a?b#c', '?b', '#c', '/a b', '/a\\b', '/@', '/%', '/"<>^`{|}[]~');
    const scheme = fc.constantFrom('http://', 'https://', 'HTTPS://', 'ftp://', 'http:/', '', 'http://u@', 'http://@');
    const url = fc
      .tuple(scheme, fc.array(label, { maxLength: 5 }), top, port, rest)
      .map(([start, labels, topLabel, number, end]) => start + [...labels, topLabel].join('.') + number + end);
    const pattern = new RegExp(WEBHOOK_URL_PATTERN, 'u');
    fc.assert(
      fc.property(url, (text) => pattern.test(text) === isTarget(text)),
      { numRuns: 20_000 },
    );
  });

  it.each([
    [
      CHANNEL_URL_PATTERN,
      ['@evening-talks', 'UCabcdefghijklmnopqrstuv', 'youtube.com/c/Names', 'm.youtube.com/@a.b/videos?x=1'],
    ],
    [
      CHANNEL_URL_PATTERN,
      ['https://www.youtube.com/channel/UCabcdefghijklmnopqrstuv/about', 'https://music.youtube.com/@Ünï'],
    ],
    [
      PROFILE_URL_PATTERN,
      ['https://www.instagram.com/evening.talks/', '@evening.talks', 'instagram.com/A/reels/?hl=en'],
    ],
    [POST_URL_PATTERN, ['https://www.instagram.com/reel/DAbCdEfGhIj/', 'instagram.com/name/p/x?img_index=1']],
  ])('allows what people paste: %#', (pattern, texts) => {
    for (const text of texts) expect(text).toMatch(new RegExp(pattern, 'u'));
  });

  it.each([
    [CHANNEL_URL_PATTERN, ['https://example.com/@a.name', 'youtube.com/c/..', 'https://www.youtube.com/watch?v=x']],
    [PROFILE_URL_PATTERN, ['https://www.instagram.com/p/DAbCdEfGhIj/', 'instagram.com/Explore', '@.a', '@a..b', '@a.']],
    [POST_URL_PATTERN, ['https://www.instagram.com/reels/audio/', 'https://www.instagram.com/evening.talks/']],
  ])('allows nothing that is refused: %#', (pattern, texts) => {
    for (const text of texts) expect(text).not.toMatch(new RegExp(pattern, 'u'));
  });
});

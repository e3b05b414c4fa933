import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelPathOf, channelReferenceOf } from '../../contract/urls/channel-urls.ts';
import { webPath, webUrl } from '../helpers/texts.ts';

const ID = 'UCk2Vn7dQx_Zb4mTfLr9YwGA';
const pathOf = (text: string, hosts: string[] = []): string | undefined => {
  const reference = channelReferenceOf(text, hosts);
  return reference && channelPathOf(reference);
};

describe('a channel', () => {
  it.each([
    'https://www.youtube.com/@Evening-Talks',
    'http://youtube.com/@evening-talks/',
    'https://m.youtube.com/@evening-talks/videos?view=0#top',
    'www.youtube.com/@EVENING-TALKS',
    'youtube.com/%40evening-talks/about',
    '  @evening-talks ',
    'evening-talks',
    'HTTPS://WWW.YOUTUBE.COM/@evening-talks/Shorts/',
    'https://www.youtube.com/@evening-talks/live',
    'https://youtube.com//@evening-talks',
    'youtube.com/@evening-talks//videos//',
    'https://music.youtube.com/@evening-talks',
    'https://gaming.youtube.com/@evening-talks',
    'https://www.youtube.com/@evening-talks?sub_confirmation=1',
    'https://www.youtube.com/@evening-talks&feature=share',
    'https://www.youtube.com/@evening-talks/podcasts',
    'https://www.youtube.com/@evening-talks/search?query=tea',
    'https://www.youtube.com/@evening-talks%20',
    'https://www.youtube.com/@evening-talks.',
    'https://www.youtube.com/@evening-talks),',
    'https://www.youtube.com/@evening-talks%3Fsi%3Dabc',
    'https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2F%40evening-talks%3Fcbrd%3D1&gl=DE',
    'https://www.youtube.com/attribution_link?a=abc&u=/@evening-talks%3Ffeature%3Dem',
  ])('%s is one subject', (text) => {
    expect(pathOf(text)).toBe('@evening-talks');
  });

  it.each([
    [`https://www.youtube.com/channel/${ID}`, `channel/${ID}`],
    [`https://www.youtube.com/channel/${ID}/videos`, `channel/${ID}`],
    [`https://music.youtube.com/channel/${ID}`, `channel/${ID}`],
    [`https://music.youtube.com/browse/${ID}`, `channel/${ID}`],
    [`https://www.youtubekids.com/channel/${ID}`, `channel/${ID}`],
    [`https://www.youtube.com/channel/${ID}?view_as=subscriber`, `channel/${ID}`],
    [`https://www.youtube.com/channel/${ID}.`, `channel/${ID}`],
    ['https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2Fc%2FEvening%3Fcbrd%3D1', 'c/evening'],
    ['https://www.youtube.com/user/EveningTalks#p/u/1/k3fP0aTz9Qw', 'user/eveningtalks'],
    [`https://www.youtube.com//channel//${ID}/live`, `channel/${ID}`],
    [ID, `channel/${ID}`],
    ['https://www.youtube.com/c/EveningTalks', 'c/eveningtalks'],
    ['https://www.youtube.com/user/EveningTalks/featured', 'user/eveningtalks'],
    ['https://www.youtube.com/@%E6%9D%B1%E4%BA%AC%E8%A9%B1', '@東京話'],
  ])('%s is %s', (text, path) => {
    expect(pathOf(text)).toBe(path);
  });

  it('may be on a configured host', () => {
    expect(pathOf('http://127.0.0.1:4000/@evening-talks', ['127.0.0.1:4000'])).toBe('@evening-talks');
    expect(pathOf('127.0.0.1:4000/@evening-talks', ['127.0.0.1:4000'])).toBe('@evening-talks');
    expect(pathOf('http://127.0.0.1:4001/@evening-talks', ['127.0.0.1:4000'])).toBeUndefined();
  });

  it('has one identity for both encodings of an accent', () => {
    expect(pathOf('@café-talks'.normalize('NFD'))).toBe(pathOf('@café-talks'.normalize('NFC')));
  });
});

describe('an invalid channel', () => {
  it.each([
    '',
    '@',
    'ab',
    'two words',
    'https://example.com/@evening-talks',
    'https://youtube.com.example.com/@evening-talks',
    'https://notyoutube.com/@evening-talks',
    'https://example.com/?continue=https://www.youtube.com/@evening-talks',
    'https://music.youtube.com.example.com/@evening-talks',
    'https://example.com//youtube.com/@evening-talks',
    'https://www.youtube.com//',
    'https://www.youtube.com/live/kX3vQ9mTz0A',
    'https://user@www.youtube.com/@evening-talks',
    'ftp://www.youtube.com/@evening-talks',
    'javascript://www.youtube.com/@evening-talks',
    'https://www.youtube.com/',
    'https://www.youtube.com/watch?v=kX3vQ9mTz0A',
    'https://www.youtube.com/playlist?list=UUk2Vn7dQx_Zb4mTfLr9YwGA',
    'https://www.youtube.com/channel/',
    `https://www.youtube.com/channel/${ID}x`,
    `https://www.youtube.com/channel/${ID}/videos/more`,
    'https://www.youtube.com/c/EveningTalks/more',
    'https://www.youtube.com/channel/../@evening-talks/../x/y',
    'https://www.youtube.com/@evening-talks/videos/more',
    'https://www.youtube.com/@evening%2Ftalks',
    '--exec=id',
    '../../etc/passwd',
    'https://www.youtube.com/@evening talks',
  ])('%j is refused', (text) => {
    expect(channelReferenceOf(text)).toBeUndefined();
  });

  it('never leads to a path outside the channel', () => {
    const word = fc.constantFrom('evening', '東京', ID, '');
    const raw = ['/', '//', '.', '..', '/../', '?', '#', '@', ' ', '\\', '%', '\u202e'];
    const encoded = '2F 2f..%2f 2e%2e 2e%2e%2f 3F 23 25 20 0a 00 5C E2%80%AE'.split(' ').map((code) => `%${code}`);
    const odd = fc.constantFrom(...raw, ...encoded);
    const start = fc.constantFrom('@', 'youtube.com/@', 'youtube.com/c/', 'youtube.com/user/', 'youtube.com/channel/');
    const paths: string[] = [];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          webUrl,
          webPath.map((path) => `youtube.com${path}`),
          fc.tuple(start, word, odd, word).map((parts) => parts.join('')),
        ),
        (text) => {
          const path = pathOf(text);
          if (path === undefined) return;
          paths.push(path);
          expect(path).toMatch(/^(?:@|channel\/|c\/|user\/)[^/?#%\\\s\p{C}]+$/u);
          expect(decodeURIComponent(new URL(path, 'https://youtube.com').pathname)).toBe(`/${path}`);
        },
      ),
      { numRuns: 3_000 },
    );
    // The test would also pass if everything were rejected, so it counts the accepted texts.
    expect(paths.length).toBeGreaterThan(100);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  noPostReason,
  postReferenceOf,
  postUrlOf,
  profileReferenceOf,
  profileUrlOf,
} from '../../contract/urls/imgnet-urls.ts';
import { webUrl } from '../helpers/texts.ts';

const SANDBOX = '127.0.0.1:4000';

const accounts = fc
  .tuple(
    fc.stringMatching(/^[A-Za-z0-9_]{1,12}$/),
    fc.array(fc.stringMatching(/^[A-Za-z0-9_]{1,5}$/), { maxLength: 2 }),
  )
  .map(([head, tail]) => [head, ...tail].join('.'))
  // The names of the platform's own pages are excluded.
  .map((name) => `${name}9z`);
const shortcodes = fc.stringMatching(/^[A-Za-z0-9_-]{5,20}$/);
const prefixes = fc.constantFrom('', 'http://', 'https://', 'HTTPS://', '//');
const hosts = fc.constantFrom('instagram.com', 'www.instagram.com', 'm.instagram.com', 'WWW.Instagram.COM', SANDBOX);
const ends = fc.constantFrom('', '/', '/?hl=en', '?igsh=abc%3D', '#top', '/#');
const bases = fc.tuple(prefixes, hosts).map((parts) => parts.join(''));

describe('the account of a profile URL', () => {
  it('is the same for each notation', () => {
    fc.assert(
      fc.property(accounts, bases, ends, (name, base, end) => {
        expect(profileReferenceOf(`${base}/${name}${end}`, [SANDBOX])).toBe(name.toLowerCase());
        expect(profileReferenceOf(` @${name} `)).toBe(name.toLowerCase());
        expect(profileReferenceOf(profileUrlOf(name))).toBe(name.toLowerCase());
      }),
    );
  });

  it.each([
    ['natgeo', 'natgeo'],
    ['@Nat.Geo', 'nat.geo'],
    ['@natgeo/', 'natgeo'],
    ['https://www.instagram.com/natgeo/reels/', 'natgeo'],
    ['instagram.com/natgeo/tagged', 'natgeo'],
    ['https://www.instagram.com:443/natgeo', 'natgeo'],
    ['https://www.instagram.com/%6Eatgeo/', 'natgeo'],
    ['instagram.com/natgeo?from=https://example.com/', 'natgeo'],
    ['https://instagr.am/natgeo', 'natgeo'],
    ['https://de-de.instagram.com/natgeo/', 'natgeo'],
    ['https://www.instagram.com/_u/natgeo', 'natgeo'],
    ['https://www.instagram.com/natgeo%20', 'natgeo'],
    ['https://www.instagram.com/natgeo.', 'natgeo'],
    ['https://www.instagram.com/natgeo),', 'natgeo'],
    ['https://www.instagram.com/natgeo?igsh=abc?hl=en', 'natgeo'],
    ['https://www.instagram.com/natgeo&hl=en', 'natgeo'],
    ['https://www.instagram.com/natgeo/?utm_source=qr&amp;igsh=abc', 'natgeo'],
    ['https://www.instagram.com/accounts/login/?next=%2Fnatgeo%2F', 'natgeo'],
    ['https://l.instagram.com/?u=https%3A%2F%2Fwww.instagram.com%2Fnatgeo&e=x', 'natgeo'],
  ])('of %j is %s', (text, account) => {
    expect(profileReferenceOf(text)).toBe(account);
  });

  it.each([
    '',
    '@',
    '/',
    'instagram.com',
    'https://www.instagram.com/',
    'https://www.instagram.com/explore/',
    'https://www.instagram.com/explore/tags/tea/',
    'https://www.instagram.com/p/DAbc123/',
    'https://www.instagram.com/reel/DAbc123/',
    'https://www.instagram.com/stories/natgeo/123/',
    'https://www.instagram.com/natgeo/p/DAbc123/',
    'https://www.instagram.com/natgeo/followers/',
    'https://www.instagram.com/natgeo/reels/more/',
    'https://www.instagram.com/natgeo/%zz/',
    'https://www.instagram.com/nat@geo/',
    '@nat/geo',
    'https://www.instagram.com/nat%2Fgeo/',
    'https://www.instagram.com/nat geo/',
    'https://www.instagram.com/.natgeo/',
    'https://www.instagram.com/nat..geo/',
    `https://www.instagram.com/${'a'.repeat(31)}/`,
    // The lower case of the Kelvin sign is an ASCII k.
    'https://www.instagram.com/\u212aelvin/',
    '@\u212aelvin',
    'https://instagram.com.example.com/natgeo',
    'https://example.com/natgeo',
    'https://www.instagram.com@example.com/natgeo',
    'https://user:secret@www.instagram.com/natgeo',
    'https://:secret@www.instagram.com/natgeo',
    'https://www.instagram.com:8443/natgeo',
    'ftp://www.instagram.com/natgeo',
    'shttp://www.instagram.com/natgeo',
    'javascript:alert(1)',
    'example.com',
    'http://127.0.0.1:4000/natgeo/',
    'two words',
  ])('of %j is not known', (text) => {
    expect(profileReferenceOf(text)).toBeUndefined();
  });
});

describe('the post of a URL', () => {
  it('preserves the case of its shortcode', () => {
    fc.assert(
      fc.property(shortcodes, bases, ends, accounts, (code, base, end, name) => {
        for (const [path, kind] of [
          ['p', 'post'],
          ['reel', 'reel'],
          ['reels', 'reel'],
        ] as const) {
          if (path === 'reels' && code === 'audio') continue;
          const reference = { shortcode: code, kind };
          expect(postReferenceOf(`${base}/${path}/${code}${end}`, [SANDBOX])).toEqual(reference);
          expect(postReferenceOf(`${base}/${name}/${path}/${code}${end}`, [SANDBOX])).toEqual(reference);
          expect(postReferenceOf(postUrlOf(reference))).toEqual(reference);
          expect(postReferenceOf(` ${base}/${path}/${code} `, [SANDBOX])).toEqual(reference);
        }
      }),
    );
  });

  it('may have a shortcode that is a path of another kind', () => {
    expect(postReferenceOf('https://www.instagram.com/p/audio/')).toEqual({ shortcode: 'audio', kind: 'post' });
    expect(postReferenceOf('https://www.instagram.com/reel/audio/')).toEqual({ shortcode: 'audio', kind: 'reel' });
  });

  it.each([
    '',
    'DAbc123',
    'https://www.instagram.com/natgeo/',
    'https://www.instagram.com/p/',
    'https://www.instagram.com/natgeo/DAbc123/',
    'https://www.instagram.com/p/DAbc%20123/',
    'https://www.instagram.com/reels/audio/123456/',
    'https://www.instagram.com/reels/audio/',
    'https://www.instagram.com/share/reel/DAbc123/',
    'https://www.instagram.com/stories/natgeo/123/',
    'https://www.instagram.com/constructor/DAbc123/',
    'https://example.com/p/DAbc123/',
    'http://127.0.0.1:4000/p/DAbc123/',
    `https://www.instagram.com/p/${'a'.repeat(65)}/`,
    'https://www.instagram.com/share/p/DAbc123/',
    'https://www.instagram.com/share/DAbc123/',
    'https://www.instagram.com/s/aGlnaGxpZ2h0?story_media_id=1',
    'https://instagr.am.evil.test/p/DAbc123/',
    'https://notinstagram.com/p/DAbc123/',
    'https://evil.test/?u=https://www.instagram.com/p/DAbc123/',
  ])('is not known for %j', (text) => {
    expect(postReferenceOf(text)).toBeUndefined();
  });
});

it.each([
  'https://www.instagram.com/p/DAbc-1_3/embed',
  'https://www.instagram.com/p/DAbc-1_3/embed/captioned/?cr=1&v=14',
  'https://www.instagram.com/p/DAbc-1_3/c/17890000000000000/',
  'https://www.instagram.com/p/DAbc-1_3/c/17890000000000000/r/17900000000000000/',
  'https://www.instagram.com/p/DAbc-1_3/comments/',
  'https://www.instagram.com/p/DAbc-1_3/liked_by/',
  'https://www.instagram.com/p/DAbc-1_3/media/?size=l',
  'https://www.instagram.com/user/p/DAbc-1_3/',
  'https://www.instagram.com/some.one/p/DAbc-1_3/embed/',
  'https://www.instagram.com/tv/DAbc-1_3/',
  'https://instagr.am/p/DAbc-1_3/',
  'instagr.am/p/DAbc-1_3',
  'http://www.instagr.am/p/DAbc-1_3',
  'https://WWW.INSTAGRAM.COM/p/DAbc-1_3/',
  'https://www.instagram.com/P/DAbc-1_3/',
  'https://www.instagram.com//p//DAbc-1_3//',
  'https://m.instagram.com/p/DAbc-1_3',
  'https://www.instagram.com/p/DAbc-1_3?igsh=abc?img_index=2',
  'https://www.instagram.com/p/DAbc-1_3&hl=en',
  'https://www.instagram.com/p/DAbc-1_3%3Figsh%3Dabc',
  'https://www.instagram.com/p/DAbc-1_3/?utm_source=x&amp;img_index=1',
  'https://www.instagram.com/p/DAbc-1_3%20',
  'https://www.instagram.com/p/DAbc-1_3/%20',
  'https://www.instagram.com/p/DAbc-1_3.',
  'https://www.instagram.com/p/DAbc-1_3),',
  'https://www.instagram.com/p/DAbc-1_3/.',
  'https%3A%2F%2Fwww.instagram.com%2Fp%2FDAbc-1_3%2F',
  'https:/www.instagram.com/p/DAbc-1_3/',
  '//www.instagram.com/p/DAbc-1_3/',
  'https://www.instagram.com/accounts/login/?next=/p/DAbc-1_3/',
  'https://www.instagram.com/accounts/login/?next=https%3A%2F%2Fwww.instagram.com%2Fp%2FDAbc-1_3%2F&source=x',
  'https://www.instagram.com/challenge/?next=/p/DAbc-1_3/',
  'https://www.instagram.com/api/v1/oembed/?url=https%3A%2F%2Fwww.instagram.com%2Fp%2FDAbc-1_3',
  'https://api.instagram.com/oembed/?url=https://www.instagr.am/p/DAbc-1_3/',
  'https://l.instagram.com/?u=https%3A%2F%2Fwww.instagram.com%2Fp%2FDAbc-1_3%2F&e=AT0',
  'https%253A%252F%252Fwww.instagram.com%252Fp%252FDAbc-1_3%252F',
  String.raw`https://www.instagram.com/p/DAbc-1_3/\?igsh\=abc`,
  String.raw`https:\/\/www.instagram.com\/p\/DAbc-1_3\/`,
  '<https://www.instagram.com/p/DAbc-1_3/>',
  '"https://instagr.am/p/DAbc-1_3"',
  'https://https://www.instagram.com/p/DAbc-1_3/',
  'https://www.instagram.com/p/DAbc-1_3;igsh=abc',
])('parses the URL of a post as people paste it: %s', (text) => {
  expect(postReferenceOf(text)).toEqual({ shortcode: 'DAbc-1_3', kind: 'post' });
  expect(profileReferenceOf(text)).toBeUndefined();
});

it.each([
  ['https://www.instagram.com/share/reel/DAbc123/', /share link/],
  ['https://www.instagram.com/share/p/DAbc123?igsh=a', /share link/],
  ['instagram.com/share/DAbc123', /share link/],
  ['https://www.instagram.com/stories/natgeo/3570766765028588805/', /story/],
  ['https://www.instagram.com/stories/highlights/18090946048123978/', /story/],
  ['https://www.instagram.com/s/aGlnaGxpZ2h0?story_media_id=1', /story/],
  ['https://www.instagram.com/p/DAbc123/', undefined],
  ['https://www.instagram.com/stories/', undefined],
  ['https://example.com/share/p/DAbc123/', undefined],
])('explains why %s is not a post', (text, reason) => {
  if (reason === undefined) expect(noPostReason(text)).toBeUndefined();
  else expect(noPostReason(text)).toMatch(reason);
});

it('never parses a URL as both a profile and a post, and never throws', () => {
  const wild = fc.oneof(
    fc.string(),
    webUrl,
    fc
      .tuple(bases, fc.array(fc.oneof(fc.string(), accounts, fc.constantFrom('p', 'reel', 'reels')), { maxLength: 4 }))
      .map(([base, path]) => `${base}/${path.join('/')}`),
  );
  fc.assert(
    fc.property(wild, (text) => {
      const both = [profileReferenceOf(text, [SANDBOX]), postReferenceOf(text, [SANDBOX])];
      expect(both).toContain(undefined);
    }),
  );
});

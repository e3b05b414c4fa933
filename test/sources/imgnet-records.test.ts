import fc from 'fast-check';
import type { z } from 'zod';
import { describe, expect, it } from 'vitest';
import {
  isReelRecord,
  ownerOf,
  postContentOf,
  postItemOf,
  reelContentOf,
  reelItemOf,
} from '../../sources/imgnet/records/items.ts';
import { postContentSchema, reelContentSchema } from '../../contract/kinds/imgnet-content.ts';
import { postItemSchema, reelItemSchema } from '../../contract/kinds/imgnet-media.ts';
import { imgnetProfileFieldsOf } from '../../sources/imgnet/records/profile.ts';
import { imgnetProfileFieldsSchema } from '../../contract/kinds/imgnet-profile.ts';
import { withNullDefaults } from '../../contract/kinds/sparse.ts';
import { countOf, numberOf, textOf, timeOf, timeOrDayOf, urlOf } from '../../sources/imgnet/records/record-readers.ts';

const CDN = 'https://cdn.example.com';
/** As the API writes them, with every field that is read. */
const POST = {
  url: 'https://www.instagram.com/p/DAbc123/',
  user_posted: 'Garden',
  description: 'Leaves',
  hashtags: ['#leaf'],
  num_comments: '1,204',
  date_posted: '2026-03-14T18:00:00.000Z',
  likes: 17,
  photos: [`${CDN}/0.jpg`],
  videos: [`${CDN}/1.mp4`],
  location: ['Riverside'],
  latest_comments: [{ comments: 'Nice', user_commenting: 'sam', likes: '3', date_of_comment: '2026-03-15' }],
  post_id: '3141592653589793238',
  pk: '3141592653589793238',
  shortcode: 'DAbc123',
  content_id: 'DAbc123',
  content_type: 'Carousel',
  product_type: 'feed',
  coauthor_producers: ['ines'],
  tagged_users: [{ username: 'ines', full_name: 'Ines', is_verified: false, id: '5' }],
  thumbnail: `${CDN}/t.jpg`,
  video_view_count: 5,
  video_play_count: 9,
  followers: 100,
  posts_count: 20,
  profile_image_link: `${CDN}/a.jpg`,
  profile_url: 'https://www.instagram.com/garden/',
  user_posted_id: '42',
  is_verified: true,
  is_paid_partnership: true,
  is_pinned: false,
  partnership_details: { profile_id: '7', username: 'cups', profile_url: 'https://www.instagram.com/cups/' },
  post_content: [
    { index: 1, type: 'Video', url: `${CDN}/1.mp4`, id: '11' },
    { index: 0, type: 'Photo', url: `${CDN}/0.jpg`, id: '10', alt_text: 'x' },
  ],
  images: [{ id: '10', url: `${CDN}/0.jpg` }],
  audio: { audio_asset_id: '8', ig_artist_id: '9', ig_artist_username: 'band', original_audio_title: 'Song' },
  videos_duration: [{ url: `${CDN}/1.mp4`, video_duration: 14.2 }],
  alt_text: 'leaves',
  photos_number: 1,
  timestamp: '2026-11-21T00:00:00.000Z',
  input: { url: 'https://www.instagram.com/garden/' },
};
const REEL = {
  url: 'https://www.instagram.com/reel/DRee123/',
  user_posted: 'garden',
  description: 'Rain',
  hashtags: ['#rain'],
  num_comments: 2,
  date_posted: '2026-03-14T18:00:00+02:00',
  likes: '12',
  views: 3,
  video_view_count: 30,
  video_play_count: 40,
  top_comments: [{ user_commenting: 'sam', comment: 'Wet', date_of_comment: '2026-03-15T01:00:00Z', likes: null }],
  post_id: '3141_42',
  shortcode: 'DRee123',
  content_id: 'DRee123',
  product_type: 'clips',
  coauthor_producers: ['ines'],
  tagged_users: ['ines'],
  length: '15.033',
  video_url: `${CDN}/r.mp4`,
  thumbnail: `${CDN}/r.jpg`,
  posts_count: 20,
  followers: 100,
  is_verified: false,
  is_paid_partnership: false,
};
const PROFILE = {
  account: 'Garden',
  fbid: '17841',
  id: '42',
  followers: '1523',
  following: 3,
  posts_count: 20,
  is_business_account: true,
  is_professional_account: 'true',
  is_verified: false,
  is_private: false,
  is_joined_recently: false,
  has_channel: false,
  avg_engagement: 0.0582,
  external_url: ['https://example.com/a', 'https://example.com/b'],
  biography: 'Green',
  bio_hashtags: ['#leaf'],
  category_name: null,
  business_category_name: 'Garden',
  highlights_count: 1,
  highlights: [{ highlight_url: `${CDN}/h`, id: '1', image: `${CDN}/h.jpg`, owner: 'garden', title: 'Spring' }],
  profile_image_link: `${CDN}/a.jpg`,
  profile_url: 'https://www.instagram.com/garden',
  url: 'https://www.instagram.com/garden/',
  profile_name: 'The Garden',
  full_name: 'The Garden',
  business_address: { street: '1 Bridge Street', city: 'Riverside', zip: null },
  email_address: 'leaf@example.com',
  related_accounts: [
    { id: 7, user_name: 'cups', profile_name: 'Cups', is_private: false, is_verified: true },
    { profile_name: 'nobody' },
  ],
};

describe('a post', () => {
  it('has every field of the specification, with the right type', () => {
    const content = postContentOf(POST, { account: 'garden' });
    expect(content).toEqual({
      type: 'post',
      instagram_id: '3141592653589793238',
      caption: 'Leaves',
      description: 'Leaves',
      likes: 17,
      comments: 1204,
      num_comments: 1204,
      date_posted: '2026-03-14T18:00:00.000Z',
      datetime: '2026-03-14T18:00:00.000Z',
      user_posted: 'Garden',
      account: 'garden',
      image_url: `${CDN}/t.jpg`,
      video_url: `${CDN}/1.mp4`,
      url: POST.url,
      shortcode: 'DAbc123',
      content_type: 'carousel',
      photos_number: 1,
      videos_duration: 14,
      location: { name: 'Riverside' },
      post_id: '3141592653589793238',
      photos: [`${CDN}/0.jpg`],
      videos: [`${CDN}/1.mp4`],
      images: [{ instagram_id: '10', url: `${CDN}/0.jpg` }],
      audio: [{ audio_asset_id: '8', ig_artist_id: '9', ig_artist_username: 'band', original_audio_title: 'Song' }],
      hashtags: ['#leaf'],
      pk: '3141592653589793238',
      content_id: 'DAbc123',
      thumbnail: `${CDN}/t.jpg`,
      is_verified: true,
      is_paid_partnership: true,
      user_posted_id: '42',
      profile_url: 'https://www.instagram.com/garden/',
      alt_text: 'leaves',
      followers: 100,
      posts_count: 20,
      profile_image_link: `${CDN}/a.jpg`,
      video_view_count: 5,
      video_play_count: 9,
      product_type: 'feed',
      is_pinned: false,
      latest_comments: [
        { comment: 'Nice', user_commenting: 'sam', likes: 3, created_at: '2026-03-15T00:00:00.000000Z' },
      ],
      tagged_users: [{ username: 'ines', full_name: 'Ines', is_verified: false }],
      coauthor_producers: ['ines'],
      partnership_details: [{ profile_id: '7', username: 'cups', profile_url: 'https://www.instagram.com/cups/' }],
      post_content: [
        { index: 0, type: 'photo', url: `${CDN}/0.jpg`, instagram_id: '10' },
        { index: 1, type: 'video', url: `${CDN}/1.mp4`, instagram_id: '11' },
      ],
    });
    expect(Object.keys(content!).sort()).toEqual(Object.keys(postContentSchema.shape).sort());
    expect(Object.keys(postItemOf(POST, {})!).sort()).toEqual(Object.keys(postItemSchema.shape).sort());
  });

  it('leaves out what it does not tell', () => {
    expect(postContentOf({ shortcode: 'DAbc123', likes: -1, photos: null, timestamp: POST.timestamp }, {})).toEqual({
      type: 'post',
      shortcode: 'DAbc123',
      url: 'https://www.instagram.com/p/DAbc123/',
    });
  });

  it('without a shortcode is known by its URL, and without both it is none', () => {
    expect(postItemOf({ url: POST.url }, {})?.shortcode).toBe('DAbc123');
    expect(postItemOf({ url: 'http://127.0.0.1:4000/p/DX/' }, { hosts: ['127.0.0.1:4000'] })?.shortcode).toBe('DX');
    expect(postItemOf({ likes: 3 }, {})).toBeUndefined();
    expect(postItemOf({ shortcode: '../x' }, {})).toBeUndefined();
  });

  it('tells from its slides which media it has', () => {
    const { photos: _photos, videos: _videos, ...rest } = POST;
    expect(postItemOf(rest, {})).toMatchObject({ photos: [`${CDN}/0.jpg`], videos: [`${CDN}/1.mp4`] });
    expect(postItemOf({ shortcode: 'DI', content_type: 'Image', videos: null }, {})?.videos).toEqual([]);
  });

  it('has no sum of durations of which a part is missing', () => {
    expect(postItemOf({ ...POST, videos_duration: [4, '5.6'] }, {})?.videos_duration).toBe(10);
    expect(postItemOf({ ...POST, videos_duration: [4, null] }, {})?.videos_duration).toBeUndefined();
  });

  it('belongs to who posted it, or to whom its profile link leads', () => {
    expect(ownerOf(POST)).toBe('garden');
    expect(ownerOf({ profile_url: 'https://www.instagram.com/Cups/' })).toBe('cups');
    expect(ownerOf({ user_posted: null })).toBeUndefined();
  });

  it('is a reel by its product, type or address', () => {
    expect([POST, REEL].map((record) => isReelRecord(record))).toEqual([false, true]);
    expect(isReelRecord({ content_type: 'Reel' })).toBe(true);
    expect(isReelRecord({ url: REEL.url })).toBe(true);
  });
});

describe('a reel', () => {
  it('has every field of the specification, with the right type', () => {
    const content = reelContentOf(REEL, {});
    expect(content).toEqual({
      type: 'reel',
      post_id: '3141_42',
      description: 'Rain',
      likes: 12,
      views: 3,
      video_view_count: 30,
      video_play_count: 40,
      num_comments: 2,
      date_posted: '2026-03-14T16:00:00.000Z',
      user_posted: 'garden',
      account: 'garden',
      video_url: `${CDN}/r.mp4`,
      thumbnail: `${CDN}/r.jpg`,
      url: REEL.url,
      shortcode: 'DRee123',
      content_type: 'reel',
      content_id: 'DRee123',
      product_type: 'clips',
      length: 15,
      videos_duration: 15,
      is_verified: false,
      videos: [`${CDN}/r.mp4`],
      hashtags: ['#rain'],
      is_paid_partnership: false,
      followers: 100,
      posts_count: 20,
      latest_comments: [{ comment: 'Wet', user_commenting: 'sam', date_of_comment: '2026-03-15T01:00:00.000Z' }],
      tagged_users: [{ username: 'ines' }],
      coauthor_producers: ['ines'],
    });
    expect(Object.keys(content!).sort()).toEqual(Object.keys(reelContentSchema.shape).sort());
    expect(Object.keys(reelItemOf(REEL, {})!).sort()).toEqual(Object.keys(reelItemSchema.shape).sort());
  });

  it('leaves out what it does not tell', () => {
    expect(
      reelContentOf({ shortcode: 'DRee123', date_posted: null }, { platformUrl: 'http://127.0.0.1:4000' }),
    ).toEqual({
      type: 'reel',
      content_type: 'reel',
      shortcode: 'DRee123',
      url: 'http://127.0.0.1:4000/reel/DRee123/',
    });
  });
});

describe('a profile', () => {
  it('has every field of the specification, with the right type', () => {
    const fields = imgnetProfileFieldsOf(PROFILE, { account: 'garden' });
    expect(fields).toEqual({
      account: 'Garden',
      fbid: '17841',
      instagram_id: '42',
      profile_name: 'The Garden',
      full_name: 'The Garden',
      biography: 'Green',
      profile_image_link: `${CDN}/a.jpg`,
      followers: 1523,
      following: 3,
      posts_count: 20,
      highlights_count: 1,
      is_verified: false,
      is_private: false,
      is_business_account: true,
      is_professional_account: true,
      is_joined_recently: false,
      has_channel: false,
      avg_engagement: 0.0582,
      category_name: 'Garden',
      business_address: '1 Bridge Street, Riverside',
      email: 'leaf@example.com',
      external_url: 'https://example.com/a',
      profile_url: 'https://www.instagram.com/garden',
      url: 'https://www.instagram.com/garden/',
      bio_hashtags: ['#leaf'],
      highlights: ['Spring'],
      related_accounts: [
        { instagram_id: '7', user_name: 'cups', profile_name: 'Cups', is_private: false, is_verified: true },
      ],
    });
    expect(Object.keys(fields).sort()).toEqual(Object.keys(imgnetProfileFieldsSchema.shape).sort());
  });

  it('without other fields has its name and its URL', () => {
    expect(imgnetProfileFieldsOf({}, { account: 'garden', platformUrl: 'http://127.0.0.1:4000' })).toEqual({
      account: 'garden',
      profile_url: 'http://127.0.0.1:4000/garden/',
      url: 'http://127.0.0.1:4000/garden/',
    });
  });
});

describe('whatever upstream sends', () => {
  const junk = fc.oneof(
    fc.anything({ maxDepth: 2 }),
    fc.constantFrom(
      null,
      '',
      ' ',
      '1,204',
      '15.033',
      '-1',
      'NaN',
      1e300,
      -1,
      [null],
      [{}],
      [[]],
      {},
      'https://',
      'x:y',
    ),
  );
  const recordLike = (sample: object): fc.Arbitrary<Record<string, unknown>> =>
    fc.record(
      Object.fromEntries(
        Object.entries(sample).map(([name, value]) => [name, fc.oneof(fc.constant<unknown>(value), junk)]),
      ),
      { requiredKeys: [] },
    );

  it('gives valid results or none', () => {
    fc.assert(
      fc.property(recordLike(POST), recordLike(REEL), recordLike(PROFILE), (post, reel, profile) => {
        const results = [
          [postContentSchema, postContentOf(post, {})],
          [postItemSchema, postItemOf(post, {})],
          [reelContentSchema, reelContentOf({ ...post, ...reel }, {})],
          [imgnetProfileFieldsSchema, imgnetProfileFieldsOf(profile, { account: 'garden' })],
        ] as const;
        for (const [schema, result] of results) {
          if (result === undefined) continue;
          const whole = withNullDefaults<z.ZodObject>(schema)(result);
          expect(schema.parse(whole)).toEqual(whole);
          expect(whole).toMatchObject(result);
          expect(Object.values(result)).not.toContain(undefined);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [countOf, '1,204', 1204],
    [countOf, '1.2K', undefined],
    [countOf, 9.5, undefined],
    [countOf, -1, undefined],
    [numberOf, ' 15.033 ', 15.033],
    [numberOf, '', undefined],
    [numberOf, '0x10', undefined],
    [numberOf, Infinity, undefined],
    // JSON has rounded it already.
    [textOf, 3141592653589793000, undefined],
    [urlOf, 'javascript:alert(1)', undefined],
    [urlOf, `${CDN}/a?oe=6A&oh=%2F`, `${CDN}/a?oe=6A&oh=%2F`],
    [timeOf, '2026-03-14 18:00:00', '2026-03-14T18:00:00.000Z'],
    [timeOf, '2026-03-14T18:00:00', '2026-03-14T18:00:00.000Z'],
    [timeOf, '2026-03-14T18:00:00+0200', '2026-03-14T16:00:00.000Z'],
    [timeOf, '2026-03-14', undefined],
    [timeOf, '2 weeks ago', undefined],
    [timeOf, '2026-13-14T18:00:00Z', undefined],
    [timeOrDayOf, '2026-03-14', '2026-03-14'],
    [timeOrDayOf, '2026-13-14', undefined],
  ])('%o reads %j as %j', (read, value, expected) => {
    expect(read(value)).toBe(expected);
  });
});

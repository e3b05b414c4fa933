import type { Account } from './accounts.ts';
import type { Publication } from './publications.ts';
import { accountUrl, publicationUrl, type DatasetRecord, type RecordParts } from './records.ts';

/** A record of the dataset of profiles. Only `business` has all fields; the others lack what real records lack. */
export function profileRecord(
  account: Account,
  latest: readonly Publication[],
  { media, baseUrl, expiresAtMs }: RecordParts,
): DatasetRecord {
  const url = accountUrl(account, baseUrl());
  const avatar = media.avatarLink(account.userName, expiresAtMs);
  const business = account.case === 'business';
  return {
    account: account.userName,
    fbid: account.fbid,
    id: account.id,
    followers: account.followers,
    // Real records have some numbers as strings.
    following: account.case === 'ordinary' ? '311' : 180,
    posts_count: account.posts + account.reels,
    is_business_account: business,
    is_professional_account: business || account.case === 'large',
    is_verified: account.case === 'large',
    is_private: account.case === 'private',
    is_joined_recently: account.case === 'empty',
    has_channel: false,
    avg_engagement: account.posts === 0 ? null : 0.0582,
    external_url: business ? ['https://example.com/teahouse', 'https://example.com/menu'] : null,
    biography: `${account.fullName}: ${account.case}. #garden #tea`,
    bio_hashtags: business || account.case === 'ordinary' ? ['#garden', '#tea'] : null,
    category_name: business ? 'Tea room' : null,
    posts: latest.map((publication) => ({ id: publication.pk, url: publicationUrl(publication, baseUrl()) })),
    profile_image_link: avatar,
    profile_url: url,
    profile_name: account.fullName,
    full_name: account.fullName,
    highlights_count: business ? 2 : 0,
    highlights: business ? [{ title: 'Menu' }, { title: 'Visitors' }] : [],
    url,
    ...(business ? { business_address: '1 Bridge Street, Riverside', email_address: 'tea@example.com' } : {}),
    related_accounts: business
      ? [{ id: '1000000042', user_name: 'two.cups', profile_name: 'Two Cups', is_private: false, is_verified: true }]
      : [],
  };
}

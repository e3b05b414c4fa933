import { z } from 'zod';
import { countSchema, urlSchema, wordSchema } from './fields.ts';
import {
  arrayOf,
  booleanOf,
  countOf,
  first,
  known,
  listOf,
  numberOf,
  recordOf,
  textOf,
  urlOf,
  wordOf,
  type ImgnetRecord,
} from './tolerant.ts';
import { profileReferenceOf, profileUrlOf } from './urls.ts';

export const relatedAccountSchema = z
  .object({
    instagram_id: wordSchema.optional(),
    user_name: wordSchema.optional(),
    profile_name: z.string().optional(),
    is_private: z.boolean().optional(),
    is_verified: z.boolean().optional(),
  })
  .meta({ id: 'ImgnetRelatedAccount' });
export type RelatedAccount = z.infer<typeof relatedAccountSchema>;

/** The platform's fields of a profile result (specification, section 2.2). */
export const imgnetProfileFieldsSchema = z
  .object({
    account: wordSchema.describe('User name'),
    fbid: wordSchema.optional().describe('Absent when unknown'),
    instagram_id: wordSchema.optional().describe("The platform's numeric user id; absent when unknown"),
    profile_name: z.string().optional().describe('Absent when unknown'),
    full_name: z.string().optional().describe('Absent when unknown'),
    biography: z.string().optional().describe('Absent when unknown or without one'),
    profile_image_link: urlSchema.optional().describe("The platform's own link; it expires. Absent when unknown"),
    followers: countSchema.optional().describe('Absent when unknown'),
    following: countSchema.optional().describe('Absent when unknown'),
    posts_count: countSchema.optional().describe('Absent when unknown'),
    highlights_count: countSchema.optional().describe('Absent when unknown'),
    is_verified: z.boolean().optional().describe('Absent when unknown'),
    is_private: z.boolean().optional().describe('Absent when unknown'),
    is_business_account: z.boolean().optional().describe('Absent when unknown'),
    is_professional_account: z.boolean().optional().describe('Absent when unknown'),
    is_joined_recently: z.boolean().optional().describe('Absent when unknown'),
    has_channel: z.boolean().optional().describe('Absent when unknown'),
    avg_engagement: z.number().optional().describe('Share of the followers, such as 0.0582; absent when unknown'),
    category_name: z.string().optional().describe('Absent when unknown or without one'),
    business_address: z.string().optional().describe('Parts joined by commas; absent when unknown or without one'),
    email: z.string().optional().describe('Absent when unknown or without one'),
    external_url: z.string().optional().describe('The first link of the profile; absent when unknown or without one'),
    profile_url: urlSchema,
    url: urlSchema,
    bio_hashtags: z.array(z.string()).optional().describe('Absent when unknown or without any'),
    highlights: z.array(z.string()).optional().describe('Titles of the highlights; absent when unknown'),
    related_accounts: z.array(relatedAccountSchema).optional().describe('Absent when unknown'),
  })
  .meta({ id: 'ImgnetProfileFields' });
export type ImgnetProfileFields = z.infer<typeof imgnetProfileFieldsSchema>;

/**
 * @param record of the dataset of profiles
 * @param context what was asked for: the account, and the platform's hosts beside the real ones
 */
export function imgnetProfileFieldsOf(
  record: ImgnetRecord,
  context: { readonly account: string; readonly platformUrl?: string; readonly hosts?: readonly string[] },
): ImgnetProfileFields {
  const profileUrl = first([record['profile_url'], record['url']], urlOf);
  const account =
    first([record['account'], record['user_name']], wordOf) ??
    (profileUrl === undefined ? undefined : profileReferenceOf(profileUrl, context.hosts)) ??
    context.account;
  const canonicalUrl = profileUrlOf(account, context.platformUrl);
  return known<ImgnetProfileFields>({
    account,
    fbid: wordOf(record['fbid']),
    instagram_id: first([record['id'], record['instagram_id']], wordOf),
    profile_name: textOf(record['profile_name']),
    full_name: textOf(record['full_name']),
    biography: textOf(record['biography']),
    profile_image_link: urlOf(record['profile_image_link']),
    followers: countOf(record['followers']),
    following: countOf(record['following']),
    posts_count: countOf(record['posts_count']),
    highlights_count: countOf(record['highlights_count']),
    is_verified: booleanOf(record['is_verified']),
    is_private: booleanOf(record['is_private']),
    is_business_account: booleanOf(record['is_business_account']),
    is_professional_account: booleanOf(record['is_professional_account']),
    is_joined_recently: booleanOf(record['is_joined_recently']),
    has_channel: booleanOf(record['has_channel']),
    avg_engagement: numberOf(record['avg_engagement']),
    category_name: first([record['category_name'], record['business_category_name']], wordOf),
    business_address: addressOf(record['business_address']),
    email: first([record['email_address'], record['email']], wordOf),
    external_url: first(arrayOf(record['external_url']) ?? [], wordOf),
    profile_url: profileUrl ?? canonicalUrl,
    url: first([record['url'], profileUrl], urlOf) ?? canonicalUrl,
    bio_hashtags: listOf(record['bio_hashtags'], wordOf),
    highlights: listOf(record['highlights'], highlightOf),
    related_accounts: listOf(record['related_accounts'], relatedAccountOf),
  });
}

/** Upstream an object, where the interface has a string. */
function highlightOf(entry: unknown): string | undefined {
  return first([entry, recordOf(entry)?.['title']], wordOf);
}

/** A text, or an object of its parts: street, town, and so on. */
function addressOf(value: unknown): string | undefined {
  const parts = recordOf(value);
  if (parts === undefined) return wordOf(value);
  const words = Object.values(parts).flatMap((part) => wordOf(part) ?? []);
  return words.length === 0 ? undefined : words.join(', ');
}

function relatedAccountOf(entry: unknown): RelatedAccount | undefined {
  const record = recordOf(entry) ?? { user_name: entry };
  const account = known<RelatedAccount>({
    instagram_id: first([record['id'], record['instagram_id'], record['user_id']], wordOf),
    user_name: first([record['user_name'], record['username'], record['account']], wordOf),
    profile_name: first([record['profile_name'], record['full_name']], textOf),
    is_private: booleanOf(record['is_private']),
    is_verified: booleanOf(record['is_verified']),
  });
  return account.instagram_id === undefined && account.user_name === undefined ? undefined : account;
}

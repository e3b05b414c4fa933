import {
  imgnetProfileFieldsSchema,
  relatedAccountSchema,
  type ImgnetProfileFields,
  type RelatedAccount,
} from '../../../contract/kinds/imgnet-profile.ts';
import {
  arrayOf,
  first,
  known,
  listOf,
  namesakes,
  recordOf,
  textOf,
  urlOf,
  wordOf,
  type ImgnetRecord,
} from './record-readers.ts';
import type { ImgnetPlatform } from './items.ts';
import { profileReferenceOf, profileUrlOf } from '../../../contract/urls/imgnet-urls.ts';

/** @param record of the dataset of profiles @param context with the requested account */
export function imgnetProfileFieldsOf(
  record: ImgnetRecord,
  context: ImgnetPlatform & { readonly account: string },
): ImgnetProfileFields {
  const profileUrl = first([record['profile_url'], record['url']], urlOf);
  const account =
    first([record['account'], record['user_name']], wordOf) ??
    (profileUrl === undefined ? undefined : profileReferenceOf(profileUrl, context.hosts)) ??
    context.account;
  const canonicalUrl = profileUrlOf(account, context.platformUrl);
  return known<ImgnetProfileFields>({
    ...namesakes(imgnetProfileFieldsSchema.shape, record),
    account,
    instagram_id: first([record['id'], record['instagram_id']], wordOf),
    category_name: first([record['category_name'], record['business_category_name']], wordOf),
    business_address: addressOf(record['business_address']),
    email: first([record['email_address'], record['email']], wordOf),
    external_url: first(arrayOf(record['external_url']) ?? [], wordOf),
    profile_url: profileUrl ?? canonicalUrl,
    url: first([record['url'], profileUrl], urlOf) ?? canonicalUrl,
    highlights: listOf(record['highlights'], highlightOf),
    related_accounts: listOf(record['related_accounts'], relatedAccountOf),
  });
}

/** The provider may send an object instead of a string. */
function highlightOf(entry: unknown): string | undefined {
  return first([entry, recordOf(entry)?.['title']], wordOf);
}

function addressOf(value: unknown): string | undefined {
  const parts = recordOf(value);
  if (parts === undefined) return wordOf(value);
  const words = Object.values(parts).flatMap((part) => wordOf(part) ?? []);
  return words.length === 0 ? undefined : words.join(', ');
}

function relatedAccountOf(entry: unknown): RelatedAccount | undefined {
  const record = recordOf(entry) ?? { user_name: entry };
  const account = known<RelatedAccount>({
    ...namesakes(relatedAccountSchema.shape, record),
    instagram_id: first([record['id'], record['instagram_id'], record['user_id']], wordOf),
    user_name: first([record['user_name'], record['username'], record['account']], wordOf),
    profile_name: first([record['profile_name'], record['full_name']], textOf),
  });
  return account.instagram_id === undefined && account.user_name === undefined ? undefined : account;
}

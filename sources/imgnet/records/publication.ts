import { first, timeOf, urlOf, wordOf, type ImgnetRecord } from './record-readers.ts';
import {
  accountOf,
  postReferenceOf,
  postUrlOf,
  profileReferenceOf,
  SHORTCODE,
  type PostReference,
} from '../../../contract/urls/imgnet-urls.ts';

export interface ItemContext {
  /** The account whose list has the item. Default: the owner according to the record. */
  readonly account?: string;
  /** Base URL of the platform's pages, without a slash at the end. Default: the real one. */
  readonly platformUrl?: string;
  /** Further hosts of the platform, with port. */
  readonly hosts?: readonly string[];
}

/** The platform's internal name of reels. */
const REEL_PRODUCT = 'clips';

export function publicationOf(record: ImgnetRecord, kind: PostReference['kind'], context: ItemContext) {
  const shortcode = shortcodeOf(record, context.hosts);
  if (shortcode === undefined) return undefined;
  return {
    url: urlOf(record['url']) ?? postUrlOf({ shortcode, kind }, context.platformUrl),
    shortcode,
    // `timestamp` is the time when the record was collected.
    date_posted: first([record['date_posted'], record['datetime']], timeOf),
    user_posted: wordOf(record['user_posted']),
    account: context.account ?? ownerOf(record, context.hosts),
  };
}

/** The only key that every dataset has. Numeric IDs have three forms. */
export function shortcodeOf(record: ImgnetRecord, hosts: readonly string[] = []): string | undefined {
  const shortcode = wordOf(record['shortcode']);
  if (shortcode !== undefined) return SHORTCODE.test(shortcode) ? shortcode : undefined;
  return postReferenceOf(wordOf(record['url']) ?? '', hosts)?.shortcode;
}

/** The publishing account in lower case, which may be the co-author. */
export function ownerOf(record: ImgnetRecord, hosts: readonly string[] = []): string | undefined {
  const link = first([record['profile_url'], record['user_profile_url']], urlOf);
  return (
    accountOf(wordOf(record['user_posted']) ?? '') ?? (link === undefined ? link : profileReferenceOf(link, hosts))
  );
}

export function isReelRecord(record: ImgnetRecord, hosts: readonly string[] = []): boolean {
  if (wordOf(record['product_type']) === REEL_PRODUCT) return true;
  if (wordOf(record['content_type'])?.toLowerCase() === 'reel') return true;
  return postReferenceOf(wordOf(record['url']) ?? '', hosts)?.kind === 'reel';
}

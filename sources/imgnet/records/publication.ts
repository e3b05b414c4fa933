import { first, timeOf, urlOf, wordOf, type ImgnetRecord } from './record-readers.ts';
import {
  accountOf,
  postReferenceOf,
  postUrlOf,
  profileReferenceOf,
  SHORTCODE,
  type PostReference,
} from '../../../contract/urls/imgnet-urls.ts';

/** What is known of an item besides its record. */
export interface ItemContext {
  /** Whose list it is from; without it, the owner as the record tells. */
  readonly account?: string;
  /** Base address of the platform's pages, without a slash at the end. Default: the real one. */
  readonly platformUrl?: string;
  /** Further hosts of the platform, with port. */
  readonly hosts?: readonly string[];
}

/** What the platform calls reels inside. */
const REEL_PRODUCT = 'clips';

/** What posts and reels have in common; undefined for a record that names no post or reel. */
export function publicationOf(record: ImgnetRecord, kind: PostReference['kind'], context: ItemContext) {
  const shortcode = shortcodeOf(record, context.hosts);
  if (shortcode === undefined) return undefined;
  return {
    url: urlOf(record['url']) ?? postUrlOf({ shortcode, kind }, context.platformUrl),
    shortcode,
    // Not `timestamp`: that is when the record was collected.
    date_posted: first([record['date_posted'], record['datetime']], timeOf),
    user_posted: wordOf(record['user_posted']),
    account: context.account ?? ownerOf(record, context.hosts),
  };
}

/** The one key of a post that every dataset has; its numeric ids are written in three ways. */
export function shortcodeOf(record: ImgnetRecord, hosts: readonly string[] = []): string | undefined {
  const shortcode = wordOf(record['shortcode']);
  if (shortcode !== undefined) return SHORTCODE.test(shortcode) ? shortcode : undefined;
  return postReferenceOf(wordOf(record['url']) ?? '', hosts)?.shortcode;
}

/** The account that published it, in lower case. On collaborations it may be the co-author. */
export function ownerOf(record: ImgnetRecord, hosts: readonly string[] = []): string | undefined {
  const link = first([record['profile_url'], record['user_profile_url']], urlOf);
  return (
    accountOf(wordOf(record['user_posted']) ?? '') ?? (link === undefined ? link : profileReferenceOf(link, hosts))
  );
}

/** Whether a record of the dataset of posts is a reel: that dataset gives them too. */
export function isReelRecord(record: ImgnetRecord, hosts: readonly string[] = []): boolean {
  if (wordOf(record['product_type']) === REEL_PRODUCT) return true;
  if (wordOf(record['content_type'])?.toLowerCase() === 'reel') return true;
  return postReferenceOf(wordOf(record['url']) ?? '', hosts)?.kind === 'reel';
}

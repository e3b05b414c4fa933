import type { Account, Archive, Publication } from './publications.ts';
import { profileRecord, postRecord, reelRecord, type DatasetRecord, type RecordParts } from './records.ts';

export const DATASET_IDS = {
  profiles: 'gd_l1vikfch901nx3by4',
  posts: 'gd_lk5ns7kz21pck8jpis',
  reels: 'gd_lyclm20il4r5helnj',
} as const;
export type DatasetName = keyof typeof DATASET_IDS;

export type Wanted =
  | { readonly kind: 'profile'; readonly account: string; readonly input: object }
  | { readonly kind: 'single'; readonly shortcode: string; readonly input: object }
  | {
      readonly kind: 'list';
      readonly account: string;
      readonly fromMs: number | undefined;
      /** Exclusive. */
      readonly toMs: number | undefined;
      readonly max: number;
      readonly without: ReadonlySet<string>;
      readonly postType: string | undefined;
      readonly input: object;
    };

export interface CollectParts extends RecordParts {
  readonly accounts: readonly Account[];
  readonly archive: Archive;
}

const PROFILE_POSTS = 12;
/** One of 40 items of a list is repeated. */
const DUPLICATE_EVERY = 40;
const DUPLICATE_AT = 5;

export function* collect(
  dataset: DatasetName,
  wanted: readonly Wanted[],
  parts: CollectParts,
): Generator<DatasetRecord> {
  for (const one of wanted) {
    for (const row of rowsOf(dataset, one, parts)) {
      yield { ...row, timestamp: new Date(parts.collectedAtMs).toISOString(), input: one.input };
    }
  }
}

function* rowsOf(dataset: DatasetName, wanted: Wanted, parts: CollectParts): Generator<DatasetRecord> {
  if (wanted.kind === 'single') {
    yield singleRow(dataset, parts.archive.find(wanted.shortcode), parts);
    return;
  }
  const account = parts.accounts.find(({ userName }) => userName === wanted.account.toLowerCase());
  if (account === undefined || account.case === 'not_found') {
    yield errorRow("Crawler error: Cannot read properties of null (reading 'pk')", 'dead_page');
  } else if (wanted.kind === 'profile') {
    yield profileRecord(
      account,
      account.case === 'private' ? [] : [...parts.archive.list(account, 'post', PROFILE_POSTS)],
      parts,
    );
  } else if (account.case === 'private') {
    yield errorRow('This account is private', 'dead_page');
  } else {
    yield* listRows(dataset, { ...wanted, account }, parts);
  }
}

function singleRow(dataset: DatasetName, found: Publication | undefined, parts: CollectParts): DatasetRecord {
  if (found === undefined) return errorRow("Sorry, this page isn't available.", 'dead_page');
  if (found.owner.case === 'private') return errorRow('This account is private', 'dead_page');
  if (dataset === 'posts') return postRecord(found, parts);
  if (found.kind === 'reel') return reelRecord(found, parts);
  return errorRow('Crawler error: the page has no reel', 'parse_error');
}

function* listRows(
  dataset: DatasetName,
  wanted: Omit<Extract<Wanted, { kind: 'list' }>, 'account'> & { readonly account: Account },
  parts: CollectParts,
): Generator<DatasetRecord> {
  const kinds = kindsOf(dataset, wanted.postType);
  if (kinds === undefined) {
    yield errorRow('post_type: no such type of posts', 'bad_input');
    return;
  }
  let given = 0;
  for (const publication of publicationsOf(wanted.account, kinds, parts.archive)) {
    const { publishedAtMs, pk } = publication;
    if (given >= wanted.max) break;
    if (publishedAtMs < (wanted.fromMs ?? -Infinity) || publishedAtMs >= (wanted.toMs ?? Infinity)) continue;
    if (wanted.without.has(pk)) continue;
    const record = dataset === 'reels' ? reelRecord(publication, parts) : postRecord(publication, parts);
    yield record;
    if (given % DUPLICATE_EVERY === DUPLICATE_AT) yield record;
    given += 1;
  }
  if (given === 0) yield errorRow('There are no public posts in the profile for the specified period', 'dead_page');
}

function* publicationsOf(
  account: Account,
  kinds: readonly Publication['kind'][],
  archive: Archive,
): Generator<Publication> {
  for (const kind of kinds) yield* archive.list(account, kind);
}

/** Without a type the dataset of posts includes reels. @returns undefined for an unknown type */
function kindsOf(dataset: DatasetName, postType: string | undefined): Publication['kind'][] | undefined {
  if (dataset === 'reels' || postType === 'Reels') return ['reel'];
  if (postType === undefined) return ['post', 'reel'];
  return postType.toLowerCase() === 'post' ? ['post'] : undefined;
}

function errorRow(error: string, errorCode: string): DatasetRecord {
  return { error, error_code: errorCode };
}

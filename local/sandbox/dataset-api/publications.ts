import { createHash } from 'node:crypto';

export type Account = ReturnType<typeof makeAccounts>[number];

export interface AccountOptions {
  /** Changes all names and posts, so that several sandboxes share none. */
  readonly idSalt?: string | undefined;
  /** Ordinary accounts in addition to one of each case; default 0. */
  readonly furtherAccounts?: number | undefined;
  /** Posts of the account `large`; default 20,000. */
  readonly largePosts?: number | undefined;
  /** Reels of the account `large`; default 2,000. */
  readonly largeReels?: number | undefined;
}

/** `hours` is the time between two posts. */
const ONE_OF_EACH_CASE = [
  { case: 'ordinary', user: 'garden', name: 'Garden', followers: 1_523, posts: 48, reels: 12, hours: 40 },
  { case: 'business', user: 'teahouse', name: 'Teahouse', followers: 48_210, posts: 14, reels: 6, hours: 70 },
  { case: 'private', user: 'private', name: 'Private', followers: 77, posts: 9, reels: 2, hours: 100 },
  { case: 'not_found', user: 'nobody', name: '', followers: 0, posts: 0, reels: 0, hours: 1 },
  { case: 'empty', user: 'empty', name: 'Empty', followers: 3, posts: 0, reels: 0, hours: 1 },
  { case: 'large', user: 'archive', name: 'Archive', followers: 2_400_115, posts: 20_000, reels: 2_000, hours: 3 },
] as const;

/** The accounts of the sandbox. `not_found` stands for a name that no account has. */
export function makeAccounts({ idSalt, furtherAccounts, largePosts, largeReels }: AccountOptions) {
  const guests = Array.from({ length: furtherAccounts ?? 0 }, (_, index) => ({
    ...ONE_OF_EACH_CASE[0],
    posts: 12,
    reels: 6,
    user: `guest${String(index + 1)}`,
    name: `Guest ${String(index + 1)}`,
    hours: 20 + index,
  }));
  return [...ONE_OF_EACH_CASE, ...guests].map(({ user: shortName, name, ...facts }) => {
    const user = `sandbox.${shortName}`;
    const bytes = digest(idSalt ?? '', user);
    const isLarge = facts.case === 'large';
    return {
      ...facts,
      fullName: name === '' ? '' : `Sandbox ${name}`,
      posts: (isLarge ? largePosts : undefined) ?? facts.posts,
      reels: (isLarge ? largeReels : undefined) ?? facts.reels,
      userName: idSalt === undefined ? user : `${user}_${bytes.toString('hex', 0, 4)}`,
      id: String(1_000_000_000 + bytes.readUInt32BE(4)),
      fbid: `1784140${String(bytes.readUInt32BE(8)).padStart(10, '0')}`,
    };
  });
}

export function digest(...parts: readonly string[]): Buffer {
  return createHash('sha256').update(parts.join('\0')).digest();
}

export type PostCase = 'image' | 'video' | 'carousel' | 'reel' | 'silent' | 'paid' | 'coauthored' | 'deleted';
export type Slide = 'photo' | 'video';

export interface Publication {
  readonly shortcode: string;
  readonly pk: string;
  readonly kind: 'post' | 'reel';
  readonly case: PostCase;
  readonly owner: Account;
  /** From 0, newest first; posts and reels are counted separately. */
  readonly index: number;
  readonly publishedAtMs: number;
  readonly slides: readonly Slide[];
  /** From 0 to 2^32; counts are derived from it. */
  readonly seed: number;
}

export type Archive = ReturnType<typeof createArchive>;

const HOUR_MS = 3_600_000;
/** The newest posts are one of each case. */
const POST_CASES = ['image', 'video', 'carousel', 'paid', 'coauthored'] as const;
const REEL_CASES = ['reel', 'silent'] as const;
const FEATURED_POSTS = POST_CASES.length;
const FEATURED_REELS = 3;
const SLIDES: Readonly<Record<PostCase, readonly Slide[]>> = {
  image: ['photo'],
  video: ['video'],
  carousel: ['photo', 'video', 'photo', 'video'],
  reel: ['video'],
  silent: ['video'],
  paid: ['photo', 'photo'],
  coauthored: ['video'],
  deleted: [],
};

/** The posts and reels of all accounts, made on demand. Two archives of the same time and salt are the same. */
export function createArchive(accounts: readonly Account[], options: { nowMs: number; idSalt: string }) {
  const make = (owner: Account, kind: Publication['kind'], index: number): Publication => {
    const bytes = digest(options.idSalt, owner.userName, kind, String(index));
    const what = (kind === 'reel' ? REEL_CASES : POST_CASES)[index] ?? olderCase(kind, index);
    return {
      shortcode: `D${bytes.toString('base64url').slice(0, 10)}`,
      pk: `3${String(bytes.readUIntBE(12, 6)).padStart(18, '0').slice(-18)}`,
      kind,
      case: what,
      owner,
      index,
      publishedAtMs: options.nowMs - (index + (kind === 'reel' ? 0.75 : 0.25)) * owner.hours * HOUR_MS,
      slides: SLIDES[what],
      seed: bytes.readUInt32BE(20),
    };
  };
  /** Newest first. */
  function* list(account: Account, kind: Publication['kind'], most = Infinity): Generator<Publication> {
    const count = Math.min(most, kind === 'reel' ? account.reels : account.posts);
    for (let index = 0; index < count; index += 1) yield make(account, kind, index);
  }

  // Tens of thousands of hashes, which are computed on the first search.
  let all: Map<string, Publication> | undefined;
  const find = (shortcode: string): Publication | undefined => {
    all ??= new Map(
      accounts
        .flatMap((account) => [...list(account, 'post'), ...list(account, 'reel')])
        .map((publication) => [publication.shortcode, publication]),
    );
    return all.get(shortcode);
  };

  const featured = (): readonly Publication[] => {
    const visible = accounts.filter((account) => account.case === 'ordinary' || account.case === 'business');
    const shown = visible.flatMap((account) => [
      ...list(account, 'post', FEATURED_POSTS),
      ...list(account, 'reel', FEATURED_REELS),
    ]);
    // Lists do not contain deleted posts.
    const deleted = visible.slice(0, 1).map((owner) => ({ ...make(owner, 'post', -1), case: 'deleted' as const }));
    return [...shown, ...deleted];
  };
  return { list, find, featured };
}

function olderCase(kind: Publication['kind'], index: number): PostCase {
  if (kind === 'reel') return 'reel';
  return index % 7 === 0 ? 'carousel' : index % 5 === 0 ? 'video' : 'image';
}

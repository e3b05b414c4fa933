import { digest, type Account } from './accounts.ts';

export type PostCase = 'image' | 'video' | 'carousel' | 'reel' | 'silent' | 'paid' | 'coauthored' | 'deleted';
export type Slide = 'photo' | 'video';

/** A post or reel of an account. */
export interface Publication {
  readonly shortcode: string;
  readonly pk: string;
  readonly kind: 'post' | 'reel';
  readonly case: PostCase;
  readonly owner: Account;
  /** From 0, the newest first; posts and reels are counted apart. */
  readonly index: number;
  readonly publishedAtMs: number;
  readonly slides: readonly Slide[];
  /** A number from 0 to 2^32, always the same: what counts are made of. */
  readonly seed: number;
}

export type Archive = ReturnType<typeof createArchive>;

const HOUR_MS = 3_600_000;
/** The newest posts show each case once; older ones go round. */
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

/**
 * The posts and reels of all accounts, made when they are asked for.
 *
 * @param nowMs the newest are some hours older than that; two archives of the same time and salt are the same
 */
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
  /** Newest first. @param most as many, if there are */
  function* list(account: Account, kind: Publication['kind'], most = Infinity): Generator<Publication> {
    const count = Math.min(most, kind === 'reel' ? account.reels : account.posts);
    for (let index = 0; index < count; index += 1) yield make(account, kind, index);
  }

  // Tens of thousands of hashes: made when the first post is looked for.
  let all: Map<string, Publication> | undefined;
  /** @returns undefined for a shortcode that nothing has */
  const find = (shortcode: string): Publication | undefined => {
    all ??= new Map(
      accounts
        .flatMap((account) => [...list(account, 'post'), ...list(account, 'reel')])
        .map((publication) => [publication.shortcode, publication]),
    );
    return all.get(shortcode);
  };

  /** One of each case, and some more, for the list of contents. */
  const featured = (): readonly Publication[] => {
    const visible = accounts.filter((account) => account.case === 'ordinary' || account.case === 'business');
    const shown = visible.flatMap((account) => [
      ...list(account, 'post', FEATURED_POSTS),
      ...list(account, 'reel', FEATURED_REELS),
    ]);
    // A post that was there once: no list has the place.
    const deleted = visible.slice(0, 1).map((owner) => ({ ...make(owner, 'post', -1), case: 'deleted' as const }));
    return [...shown, ...deleted];
  };
  return { list, find, featured };
}

/** Most posts of most accounts are pictures. */
function olderCase(kind: Publication['kind'], index: number): PostCase {
  if (kind === 'reel') return 'reel';
  return index % 7 === 0 ? 'carousel' : index % 5 === 0 ? 'video' : 'image';
}

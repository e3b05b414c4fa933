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

import { createHash } from 'node:crypto';

export type Account = ReturnType<typeof makeAccounts>[number];

export interface AccountOptions {
  /** Gives every account another name and other posts, so that sandboxes beside each other share none. */
  readonly idSalt?: string | undefined;
  /** Ordinary accounts beside one of each case; 0. */
  readonly furtherAccounts?: number | undefined;
  /** Posts of the account `large`; 20,000. */
  readonly largePosts?: number | undefined;
  /** Reels of the account `large`; 2,000. */
  readonly largeReels?: number | undefined;
}

/** `hoursApart`: between two posts. */
const ONE_OF_EACH_CASE = [
  { case: 'ordinary', user: 'sandbox.garden', fullName: 'Sandbox Garden', posts: 48, reels: 12, hoursApart: 40 },
  { case: 'business', user: 'sandbox.teahouse', fullName: 'Sandbox Teahouse', posts: 14, reels: 6, hoursApart: 70 },
  { case: 'private', user: 'sandbox.private', fullName: 'Sandbox Private', posts: 9, reels: 2, hoursApart: 100 },
  { case: 'not_found', user: 'sandbox.nobody', fullName: '', posts: 0, reels: 0, hoursApart: 1 },
  { case: 'empty', user: 'sandbox.empty', fullName: 'Sandbox Empty', posts: 0, reels: 0, hoursApart: 1 },
  { case: 'large', user: 'sandbox.archive', fullName: 'Sandbox Archive', posts: 20_000, reels: 2_000, hoursApart: 3 },
] as const;

/** The accounts of the sandbox, one for each case, and what is asked for beside. `not_found` is a name that nobody has. */
export function makeAccounts({ idSalt, furtherAccounts, largePosts, largeReels }: AccountOptions) {
  const guests = Array.from({ length: furtherAccounts ?? 0 }, (_, index) => ({
    case: 'ordinary' as const,
    user: `sandbox.guest${String(index + 1)}`,
    fullName: `Sandbox Guest ${String(index + 1)}`,
    posts: 12,
    reels: 6,
    hoursApart: 20 + index,
  }));
  return [...ONE_OF_EACH_CASE, ...guests].map(({ user, ...facts }) => {
    const bytes = digest(idSalt ?? '', user);
    const isLarge = facts.case === 'large';
    return {
      ...facts,
      posts: (isLarge ? largePosts : undefined) ?? facts.posts,
      reels: (isLarge ? largeReels : undefined) ?? facts.reels,
      userName: idSalt === undefined ? user : `${user}_${bytes.toString('hex', 0, 4)}`,
      id: String(1_000_000_000 + bytes.readUInt32BE(4)),
      fbid: `1784140${String(bytes.readUInt32BE(8)).padStart(10, '0')}`,
    };
  });
}

/** 32 bytes that are always the same for the same parts. */
export function digest(...parts: readonly string[]): Buffer {
  return createHash('sha256').update(parts.join('\0')).digest();
}

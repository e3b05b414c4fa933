import { createHash } from 'node:crypto';

export type AccountCase = 'ordinary' | 'business' | 'private' | 'not_found' | 'empty' | 'large';

export interface Account {
  readonly userName: string;
  readonly case: AccountCase;
  readonly fullName: string;
  readonly id: string;
  readonly fbid: string;
  readonly posts: number;
  readonly reels: number;
  /** Between two posts, in hours. */
  readonly hoursApart: number;
}

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

/** The accounts of the sandbox, one for each case, and what is asked for beside. `not_found` is a name that nobody has. */
export function makeAccounts({
  idSalt,
  furtherAccounts = 0,
  largePosts,
  largeReels,
}: AccountOptions): readonly Account[] {
  const account = (
    name: AccountCase,
    facts: { user: string; full: string; posts: number; reels: number; hoursApart: number },
  ): Account => ({
    userName: idSalt === undefined ? facts.user : `${facts.user}_${digest(idSalt, facts.user).toString('hex', 0, 4)}`,
    case: name,
    fullName: facts.full,
    id: String(1_000_000_000 + digest(idSalt ?? '', facts.user).readUInt32BE(4)),
    fbid: `1784140${String(digest(idSalt ?? '', facts.user).readUInt32BE(8)).padStart(10, '0')}`,
    posts: facts.posts,
    reels: facts.reels,
    hoursApart: facts.hoursApart,
  });
  return [
    account('ordinary', { user: 'sandbox.garden', full: 'Sandbox Garden', posts: 48, reels: 12, hoursApart: 40 }),
    account('business', { user: 'sandbox.teahouse', full: 'Sandbox Teahouse', posts: 14, reels: 6, hoursApart: 70 }),
    account('private', { user: 'sandbox.private', full: 'Sandbox Private', posts: 9, reels: 2, hoursApart: 100 }),
    account('not_found', { user: 'sandbox.nobody', full: '', posts: 0, reels: 0, hoursApart: 1 }),
    account('empty', { user: 'sandbox.empty', full: 'Sandbox Empty', posts: 0, reels: 0, hoursApart: 1 }),
    account('large', {
      ...{ user: 'sandbox.archive', full: 'Sandbox Archive', hoursApart: 3 },
      ...{ posts: largePosts ?? 20_000, reels: largeReels ?? 2_000 },
    }),
    ...Array.from({ length: furtherAccounts }, (_, index) => {
      const number = String(index + 1);
      const name = { user: `sandbox.guest${number}`, full: `Sandbox Guest ${number}` };
      return account('ordinary', { ...name, posts: 12, reels: 6, hoursApart: 20 + index });
    }),
  ];
}

/** 32 bytes that are always the same for the same parts. */
export function digest(...parts: readonly string[]): Buffer {
  return createHash('sha256').update(parts.join('\0')).digest();
}

import type { FailureCode } from '../../contract/failures.ts';
import { DECKS, IMGNET_KINDS, KIND_WEIGHTS, type Order, type Kind } from './subjects.ts';
import type { SandboxIndex } from './sandbox-index.ts';

export type Random = ReturnType<typeof createRandom>;

/** Numbers that look random and are the same for the same seed: Mulberry32, whose 32 bits are enough to spread a few hundred events. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const shuffled = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => ({ item, key: next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  return {
    next,
    shuffled,
    between: (least: number, most: number): number => least + next() * (most - least),
    pick: <Item>(items: readonly Item[]): Item => there(items[Math.floor(next() * items.length)]),
    /** Gives each item once in every round, in another order each time. */
    rounds<Item>(items: readonly Item[]): () => Item {
      let left: Item[] = [];
      return () => {
        if (left.length === 0) left = shuffled(items);
        return there(left.pop());
      };
    },
  };
}

function there<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** One in eight jobs is about an unavailable subject. */
const FAILING_EVERY = 8;
/** One in seven subjects is requested by further callers at about the same time. */
const SHARED_EVERY = 7;
const SHARED_WITHIN_MS = 4_000;
/** The share of the time in which callers come. */
const COMING = 0.9;

/** The request of a caller. */
export interface PlannedCall {
  readonly id: string;
  readonly kind: Kind;
  readonly atMs: number;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly expected: 'success' | FailureCode;
  /** The call whose result names the requested subject, and the field of the body for it. */
  readonly after?: { readonly callId: string; readonly field: string };
}

/**
 * The calls of a run, the same for the same seed and sandbox. Each kind comes at least once; a list needs a profile and
 * speaker labels an audio, which are calls and jobs of their own.
 *
 * @param options.jobs calls for new subjects; callers who join are added
 * @param options.imgnetShare part of them about the photo platform, beside one of each kind; by default what the weights say
 */
export function planCalls(
  index: SandboxIndex,
  random: Random,
  options: { jobs: number; durationMs: number; imgnetShare?: number | undefined },
): PlannedCall[] {
  const decks = Object.fromEntries(
    Object.entries(DECKS).map(([kind, make]) => {
      const { good, failing } = make(index);
      return [kind, { good: random.shuffled(good), failing: random.shuffled(failing), drawn: 0 }];
    }),
  );
  const calls: PlannedCall[] = [];
  const add = (kind: Kind, order: Order, atMs: number): string => {
    const { needs, ...own } = order;
    const id = `c${String(calls.length + 1)}`;
    // The call keeps its position before the call that it needs.
    const position = calls.push({ id, kind, atMs, ...own }) - 1;
    if (needs !== undefined) {
      const callId = add(needs.kind, needs.order, atMs);
      calls[position] = { id, kind, atMs, ...own, after: { callId, field: needs.field } };
    }
    return id;
  };
  const kinds = Object.keys(KIND_WEIGHTS) as Kind[];
  const first = kinds.filter((kind) => KIND_WEIGHTS[kind] > 0);
  const bag = kinds.flatMap((kind) => Array.from({ length: KIND_WEIGHTS[kind] }, () => kind));
  for (let number = 1; calls.length < options.jobs; number += 1) {
    const kind = first.shift() ?? drawKind(random, bag, options.imgnetShare);
    const deck = decks[kind];
    if (deck === undefined) throw new Error(`there is no deck of ${kind}`);
    const mustFail = number % FAILING_EVERY === 0 && deck.failing.length > 0;
    const pile = mustFail ? deck.failing : deck.good;
    // A used-up pile is drawn again; by then most results are fresh.
    const order = pile[deck.drawn % pile.length];
    if (order === undefined) throw new Error(`the sandbox has nothing for ${kind}`);
    deck.drawn += 1;
    add(kind, order, random.between(0, options.durationMs * COMING));
  }
  return [...calls, ...furtherCallers(calls, random)].sort((a, b) => a.atMs - b.atMs);
}

function drawKind(random: Random, bag: readonly Kind[], imgnetShare: number | undefined): Kind {
  if (imgnetShare === undefined) return random.pick(bag);
  const isImgnet = random.next() < imgnetShare;
  return random.pick(bag.filter((kind) => IMGNET_KINDS.includes(kind) === isImgnet));
}

function furtherCallers(calls: readonly PlannedCall[], random: Random): PlannedCall[] {
  return calls
    .filter((_call, index) => index % SHARED_EVERY === 0)
    .flatMap((call) =>
      Array.from({ length: random.pick([1, 1, 2]) }, (_, index) => ({
        ...call,
        id: `${call.id}-${String(index + 2)}`,
        atMs: Math.max(0, call.atMs + random.between(-SHARED_WITHIN_MS, SHARED_WITHIN_MS)),
      })),
    );
}

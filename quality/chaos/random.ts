export type Random = ReturnType<typeof createRandom>;

/** Numbers that look random and are the same for the same seed: Mulberry32, whose 32 bits are enough to spread a few hundred events. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  /** From 0 up to, but without, 1. */
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

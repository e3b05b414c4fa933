import { setTimeout as delay } from 'node:timers/promises';

/** Runs each contestant once a round, so that a machine that becomes slower or faster affects all of them. */
export async function inTurn<Name extends string, Value>(
  rounds: number,
  contestants: Readonly<Record<Name, (round: number) => Promise<Value>>>,
): Promise<Record<Name, Value[]>> {
  const names = Object.keys(contestants) as Name[];
  const values = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Name, Value[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) values[name].push(await contestants[name](round));
  }
  return values;
}

/** Calls `work` for each item, with at most `most` calls at once. */
export async function atOnce<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane));
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begunMs = performance.now();
  await work();
  return performance.now() - begunMs;
}

/** @param share 0.5 for the median; with an even number of values, the upper of the two in the middle */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

export const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const rounded = (value: number): number => Number(value.toPrecision(3));

/** Polls until a check returns something other than false. @throws after the timeout, with the name of what was awaited */
export async function until<Value>(
  check: () => Value | false | Promise<Value | false>,
  { timeoutMs, what, everyMs = 50 }: { timeoutMs: number; what: string; everyMs?: number },
): Promise<Value> {
  const lastMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== false) return value;
    if (performance.now() > lastMs) throw new Error(`${what} did not come in time`);
    await delay(everyMs);
  }
}

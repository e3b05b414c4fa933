import { randomUUID } from 'node:crypto';
import type { Filter, SortDirection } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';

interface Thing {
  readonly _id: string;
  readonly state?: string | readonly string[] | number | null;
  readonly owner: string;
}

const LIMIT = 7;
const STATES = ['open', 'done', 'failed', 'open"', '', null, 5, ['done', 'open'], []] as const;
/** Every state by every owner, and some without a state. */
const things: readonly Thing[] = Array.from({ length: 200 }, (_, number) => {
  const state = STATES[number % (STATES.length + 1)];
  const _id = `id/${String(number * 7919).padStart(8, '0')}`;
  return { _id, owner: number % 3 === 0 ? 'one' : 'two', ...(state === undefined ? {} : { state }) };
});
const plain = things.filter(({ state }) => !Array.isArray(state));

let mongo: Mongo;
beforeAll(async () => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `pages-${randomUUID().slice(0, 8)}`, timeoutMs: 20_000 });
  for (const [name, all] of Object.entries({ plain, withLists: things })) {
    await mongo.db.collection<Thing>(name).insertMany([...all]);
    for (const field of ['state', 'owner']) await mongo.db.collection(name).createIndex({ [field]: 1, _id: -1 });
  }
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const isIn = (state: string, one: Thing): boolean =>
  one.state === state || (Array.isArray(one.state) && one.state.includes(state));
const after = things[40]!._id;

describe.each([
  ['whose fields are never lists', 'plain', plain],
  ['in which some documents have lists, which match by one item', 'withLists', things],
])('a collection %s', (_what, name, all) => {
  it.each<[what: string, filter: Filter<Thing>, fits: (one: Thing) => boolean]>([
    ['of a state', { state: 'open' }, (one) => isIn('open', one)],
    ['of a state that no document has', { state: 'gone' }, () => false],
    ['of an empty state', { state: '' }, (one) => isIn('', one)],
    ['of a state with a quote', { state: 'open"' }, (one) => isIn('open"', one)],
    ['of a state and an owner', { owner: 'one', state: 'done' }, (one) => isIn('done', one) && one.owner === 'one'],
    ['of a state after an ID', { state: 'open', _id: { $gt: after } }, (one) => isIn('open', one) && one._id > after],
    ['of a state up to an ID', { state: 'open', _id: { $lte: after } }, (one) => isIn('open', one) && one._id <= after],
    [
      'between two IDs',
      { _id: { $gt: after, $lt: `${after.slice(0, 6)}9` } },
      ({ _id }) => _id > after && _id < `${after.slice(0, 6)}9`,
    ],
  ])('returns the first page %s in both orders', async (_page, filter, fits) => {
    const wanted = all.filter(fits).map(({ _id }) => _id);
    const found = async (direction: SortDirection) => {
      const page = mongo.db.collection<Thing>(name).find(filter).sort({ _id: direction }).limit(LIMIT);
      return (await page.toArray()).map(({ _id }) => _id);
    };
    expect(await found(1)).toEqual(wanted.toSorted().slice(0, LIMIT));
    expect(await found(-1)).toEqual(wanted.toSorted().reverse().slice(0, LIMIT));
  });
});

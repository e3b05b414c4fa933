import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createSnapshotStore, type SnapshotKey, type SnapshotStore } from '../../store/records/snapshot-store.ts';

let mongo: Mongo;
let snapshots: SnapshotStore;

beforeAll(() => {
  mongo = openMongo({ uri: inject('mongodbUri'), database: `snap-${randomUUID().slice(0, 8)}`, timeoutMs: 5_000 });
  snapshots = createSnapshotStore(mongo.db);
});
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

const aKey = (): SnapshotKey => ({ recordId: ulid(), part: 'posts' });
async function claimed(key: SnapshotKey, nowMs = 1): Promise<string> {
  const claim = await snapshots.claim(key, nowMs);
  if (claim.state !== 'mine') throw new Error(`the claim is ${claim.state}`);
  return claim.claimId;
}

describe('the snapshot store', () => {
  it('lets one of many claims start the snapshot', async () => {
    const key = aKey();
    const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => snapshots.claim(key, index)));
    expect(claims.filter(({ state }) => state === 'mine')).toHaveLength(1);
    const [winner] = claims.flatMap((claim, index) => (claim.state === 'mine' ? [index] : []));
    for (const claim of claims) if (claim.state === 'theirs') expect(claim.sinceMs).toBe(winner);
  });

  it('returns the snapshot that was started for each part of a job', async () => {
    const key = aKey();
    await snapshots.started(key, await claimed(key), 's_1');
    expect(await snapshots.claim(key, 2)).toEqual({ state: 'started', snapshotId: 's_1' });
    expect(await snapshots.claim({ ...key, part: 'reels' }, 2)).toMatchObject({ state: 'mine' });
  });

  it('releases a claim only for its owner', async () => {
    const key = aKey();
    const claimId = await claimed(key);
    await snapshots.release(key, 'another');
    expect(await snapshots.claim(key, 2)).toEqual({ state: 'theirs', claimId, sinceMs: 1 });
    await snapshots.release(key, claimId);
    expect(await snapshots.claim(key, 3)).toMatchObject({ state: 'mine' });
  });

  it('forgets a lost snapshot, but not its successor', async () => {
    const key = aKey();
    await snapshots.started(key, await claimed(key), 's_1');
    await snapshots.forget(key, 's_1');
    await snapshots.started(key, await claimed(key, 2), 's_2');
    await snapshots.forget(key, 's_1');
    expect(await snapshots.claim(key, 3)).toEqual({ state: 'started', snapshotId: 's_2' });
  });

  it('stores the end of a request only for the owner of the claim', async () => {
    const key = aKey();
    const claimId = await claimed(key);
    await snapshots.ended(key, 'another', 5);
    expect(await snapshots.claim(key, 9)).toEqual({ state: 'theirs', claimId, sinceMs: 1 });
    await snapshots.ended(key, claimId, 6);
    expect(await snapshots.claim(key, 9)).toEqual({ state: 'theirs', claimId, sinceMs: 1, endedAtMs: 6 });
  });

  it('lets the same one of many claims take over a snapshot repeatedly', async () => {
    const keys = Array.from({ length: 20 }, aKey);
    const claims = await Promise.all(keys.map(async (key) => ({ key, claimId: await claimed(key) })));
    const takeOver = () => Promise.all(claims.map(({ key, claimId }) => snapshots.takeOver(key, claimId, 's_found')));
    const taken = await takeOver();
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await takeOver()).toEqual(taken);
    const states = await Promise.all(keys.map((key) => snapshots.claim(key, 2)));
    expect(states.map(({ state }) => state === 'started')).toEqual(taken);
  });

  it('never gives the snapshot of one job to another', async () => {
    const [key, other] = [aKey(), aKey()];
    const [claimId, otherId] = [await claimed(key), await claimed(other)];
    expect(await snapshots.isFree('s_had', otherId)).toBe(true);
    await snapshots.started(key, claimId, 's_had');
    expect([await snapshots.isFree('s_had', claimId), await snapshots.isFree('s_had', otherId)]).toEqual([true, false]);
    expect(await snapshots.takeOver(other, otherId, 's_had')).toBe(false);
    await snapshots.forget(key, 's_had');
    const again = await claimed(key, 2);
    for (const [one, id] of [
      [other, otherId],
      [key, again],
    ] as const) {
      expect([await snapshots.isFree('s_had', id), await snapshots.takeOver(one, id, 's_had')]).toEqual([false, false]);
    }
  });
});

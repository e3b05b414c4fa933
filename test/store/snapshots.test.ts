import { randomUUID } from 'node:crypto';
import { ulid } from 'ulid';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openMongo, type Mongo } from '../../store/mongo.ts';
import { createSnapshotStore, type SnapshotKey, type SnapshotStore } from '../../store/snapshots.ts';

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

describe('the snapshot store', () => {
  it('lets one of many start the snapshot', async () => {
    const key = aKey();
    const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => snapshots.claim(key, index)));
    expect(claims.filter(({ state }) => state === 'mine')).toHaveLength(1);
    const [winner] = claims.flatMap((claim, index) => (claim.state === 'mine' ? [index] : []));
    for (const claim of claims) if (claim.state === 'theirs') expect(claim.sinceMs).toBe(winner);
  });

  it('hands back what was started, for each part of a job', async () => {
    const key = aKey();
    await snapshots.claim(key, 1);
    await snapshots.started(key, 's_1');
    expect(await snapshots.claim(key, 2)).toEqual({ state: 'started', snapshotId: 's_1' });
    expect(await snapshots.claim({ ...key, part: 'reels' }, 2)).toMatchObject({ state: 'mine' });
  });

  it('takes a claim back from the one who has it, and from nobody else', async () => {
    const key = aKey();
    const claim = await snapshots.claim(key, 1);
    await snapshots.release(key, 'another');
    expect(await snapshots.claim(key, 2)).toEqual({ state: 'theirs', sinceMs: 1 });
    await snapshots.release(key, claim.state === 'mine' ? claim.claimId : '');
    expect(await snapshots.claim(key, 3)).toMatchObject({ state: 'mine' });
  });

  it('forgets the snapshot that is lost, and not the one after it', async () => {
    const key = aKey();
    await snapshots.claim(key, 1);
    await snapshots.started(key, 's_1');
    await snapshots.forget(key, 's_1');
    await snapshots.claim(key, 2);
    await snapshots.started(key, 's_2');
    await snapshots.forget(key, 's_1');
    expect(await snapshots.claim(key, 3)).toEqual({ state: 'started', snapshotId: 's_2' });
  });
});

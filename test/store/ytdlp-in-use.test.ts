import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import { createYtdlpInUse } from '../../store/records/ytdlp-in-use.ts';

it('the version of yt-dlp is the one that the last worker stored', async () => {
  const database = `yt-dlp-${randomUUID().slice(0, 8)}`;
  const mongo = openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 5_000 });
  onTestFinished(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });
  const inUse = createYtdlpInUse(mongo.db);
  expect(await inUse.known()).toBeUndefined();
  await Promise.all([inUse.keep('2026.10.26'), inUse.keep('2026.10.26')]);
  await inUse.keep('2026.11.5');
  expect(await inUse.known()).toBe('2026.11.5');
});

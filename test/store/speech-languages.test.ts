import { randomUUID } from 'node:crypto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openMongo } from '../../store/mongo/mongo-client.ts';
import { createSpeechLanguages } from '../../store/records/speech-languages.ts';

it('the languages and the speed of the speech engine are those since the last worker started', async () => {
  const database = `languages-${randomUUID().slice(0, 8)}`;
  const mongo = openMongo({ uri: inject('mongodbUri'), database, timeoutMs: 5_000 });
  onTestFinished(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });
  const languages = createSpeechLanguages(mongo.db);
  expect(await languages.known()).toBeUndefined();
  await Promise.all([languages.keep(['en']), languages.keep(['en'])]);
  expect(await languages.known()).toEqual(['en']);
  await languages.keep(['de', 'fr']);
  expect(await languages.known()).toEqual(['de', 'fr']);
  await languages.keep(undefined);
  expect([await languages.known(), await languages.speed()]).toEqual([undefined, undefined]);
  await Promise.all([60, 120].map((audioSeconds) => languages.noteSpeed({ audioSeconds, seconds: 15 })));
  expect(await languages.speed()).toBeCloseTo(30 / 180);
  await languages.keep(['en']);
  expect(await languages.speed()).toBeUndefined();
});

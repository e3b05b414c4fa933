import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccountResult } from '../../contract/http/account-schemas.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createKeyStore } from '../../store/accounts/key-store.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { loadConfig } from '../../config.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const REQUESTS = 50;

let service: TestService;
let mongo: Mongo;
let temporal: Connection;
beforeAll(async () => {
  service = await TestService.start({ env: { ALLOW_ANONYMOUS: 'false' }, showsRefusals: true });
  const {
    MONGODB_URI: uri = '',
    MONGODB_DATABASE: database,
    TEMPORAL_ADDRESS: address,
  } = loadConfig(service.stack.env);
  mongo = openMongo({ uri, database, timeoutMs: 10_000 });
  temporal = await Connection.connect({ address: address ?? '' });
}, 120_000);
afterAll(async () => {
  await temporal.close();
  await mongo.close();
  await service.stop();
});

const isThere = (found: unknown): true | undefined => (found === null || found === false ? undefined : true);

/** Moments at which the api is killed: an observer in another process has just seen that far into the request. */
const moments = {
  'the key is stored': () => mongo.db.collection('idempotency_keys').findOne({}).then(isThere),
  'the job has started': (videoId: string) =>
    new Client({ connection: temporal }).workflow
      .getHandle(`audio/${videoId}`)
      .describe()
      .then(isThere, () => undefined),
  'the record is written': (videoId: string) =>
    mongo.db.collection('records').findOne({ mediaId: videoId }).then(isThere),
};

it.each(Object.entries(moments).map(([name, hasCome], index) => ({ name, hasCome, index })))(
  'equal requests get equal answers, one job and one charge though the api is killed when $name',
  { timeout: 180_000 },
  async ({ hasCome, index }) => {
    const { db } = mongo;
    for (const name of ['idempotency_keys', 'idempotency_times']) await db.collection(name).deleteMany({});
    const key = await createKeyStore(db).create({ name: `killed-${index}`, scopes: ['read', 'jobs'] });
    await createAccountStore(db).open(key.id, 1_000);
    const authorization = `Bearer ${key.text}`;
    const videoId = service.videoId('ordinary', index);
    const headers = { authorization, 'idempotency-key': `"${randomUUID()}"` };
    const body = { vidnet_video_id: videoId };
    // The job does not end meanwhile, so that all answers are about a pending one.
    await service.misbehave({ video: videoId, target: 'media', mode: 'slow', bytes_per_second: 6_000 });
    const send = () => service.request<{ data: { id: string } }>('POST', '/api/downloads/audio', { headers, body });
    const isUp = () =>
      fetch(`${service.stack.restUrl}/live`).then(
        ({ ok }) => isThere(ok),
        () => undefined,
      );

    const answered: Awaited<ReturnType<typeof send>>[] = [];
    const sendUntilCut = async (): Promise<never> => {
      for (;;) answered.push(await send());
    };
    const cut = Promise.allSettled(Array.from({ length: REQUESTS }, sendUntilCut));
    for (const end = Date.now() + 60_000; !(await hasCome(videoId)) && Date.now() < end;) await delay(1);
    service.stack.kill('api', 'SIGKILL');
    await cut;

    await until(isUp, { within: 60_000, what: 'the api' });
    const answers = await Promise.all(Array.from({ length: REQUESTS }, send));
    const [{ status, body: answer }] = answers as [(typeof answers)[number]];
    expect({ status, answer }).toMatchObject({ status: 202, answer: { data: { status: 'pending' } } });
    for (const other of answers) expect(other).toMatchObject({ status, body: answer });
    // Requests that were answered before the kill have the same answer.
    for (const one of answered) expect(one).toMatchObject({ status, body: answer });

    await service.misbehave({ video: videoId, target: 'media', mode: 'off' });
    const { id } = answer.data;
    await until(
      async () =>
        (await service.request<{ data: { status: string } }>('GET', `/downloads/${id}`, { headers: { authorization } }))
          .body.data.status === 'success' || undefined,
      { within: 120_000, what: 'the end of the job' },
    );
    expect(await db.collection('records').countDocuments({ mediaId: videoId })).toBe(1);
    const account = await until(
      async () => {
        const one = await service.request<AccountResult>('GET', '/api/account', { headers: { authorization } });
        return one.body.reserved === '0.000' ? one.body : undefined;
      },
      { within: 60_000, what: 'the charge' },
    );
    expect(account).toMatchObject({ credit: '0.995', entries: [{ download_id: id, amount: '0.005' }] });
    expect(account.entries).toHaveLength(1);
  },
);

import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import { webhookIdOf } from '../../contract/deliveries.ts';
import type { DownloadRecord, PublishedFile } from '../../contract/records.ts';
import { createAccountStore } from '../../store/accounts.ts';
import { createDeliveryStore } from '../../store/deliveries.ts';
import { createRecordStore } from '../../store/records.ts';
import { openBucket } from '../../store/s3-bucket.ts';
import type { FaultBench } from './fault-bench.ts';
import { probe } from './media.ts';

/** What must all be empty in the end: each entry says what is wrong with what. */
export interface Audit {
  /** Accepted, and without a success. */
  readonly lost: readonly string[];
  /** Subjects fetched more than once. */
  readonly twice: readonly string[];
  readonly wrongFiles: readonly string[];
  readonly wrongCharges: readonly string[];
  readonly wrongWebhooks: readonly string[];
  readonly leftBehind: readonly string[];
}

const ALL = 1_000;

interface Links {
  readonly audio_url?: string;
  readonly file_urls?: readonly string[];
}

/** Looks, past the spoilt lines, at everything that jobs leave. @param accepted the ids that callers were told */
export async function audit(bench: FaultBench, accepted: readonly string[]): Promise<Audit> {
  const records = await createRecordStore(bench.mongo.db).list({ limit: ALL });
  const successes = records.filter((record) => record.status === 'success');
  const subjects = successes.map(({ subjectId }) => subjectId);
  return {
    lost: [
      ...accepted.filter((id) => !successes.some((record) => record.id === id)),
      ...records.filter(({ status }) => status !== 'success').map(({ id, status }) => `${id}: ${status}`),
    ],
    twice: subjects.filter((subject, index) => subjects.indexOf(subject) !== index),
    wrongFiles: await wrongFiles(bench, successes),
    wrongCharges: await wrongCharges(bench, records),
    wrongWebhooks: await wrongWebhooks(bench, successes),
    leftBehind: await leftBehind(bench, successes),
  };
}

function filesOf(record: DownloadRecord): readonly PublishedFile[] {
  return record.status === 'success' ? record.files : [];
}

/** Each file is served as its record says it is, and is whole media. */
async function wrongFiles({ service, key }: FaultBench, records: readonly DownloadRecord[]): Promise<string[]> {
  const wrong: string[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-audit-'));
  for (const record of records) {
    const [file] = filesOf(record);
    if (record.status !== 'success' || file === undefined) continue;
    const headers = { authorization: `Bearer ${key.text}` };
    const path = `/downloads/${record.id}`;
    const { body } = await service.request<{ data: Links }>('GET', path, { headers });
    const link = body.data.audio_url ?? body.data.file_urls?.[0] ?? '';
    const bytes = Buffer.from(await (await fetch(link)).arrayBuffer());
    const copy = join(folder, file.name);
    await writeFile(copy, bytes);
    const { duration } = await probe(copy).catch(() => ({ duration: -1 }));
    const isWhole = Math.abs(duration - (record.durationSeconds ?? 0)) <= 1;
    const isSame = createHash('sha256').update(bytes).digest('hex') === file.sha256 && bytes.length === file.sizeBytes;
    if (!isWhole || !isSame) wrong.push(`${record.id}/${file.name}: ${String(bytes.length)} B, ${String(duration)} s`);
  }
  await rm(folder, { recursive: true });
  return wrong;
}

async function wrongCharges({ mongo, key }: FaultBench, records: readonly DownloadRecord[]): Promise<string[]> {
  const accounts = createAccountStore(mongo.db);
  const booked = await accounts.ledger(key.id, { limit: ALL });
  const spent = (await accounts.get(key.id))?.spent ?? 0;
  const due = records.reduce((sum, record) => sum + (record.status === 'success' ? record.charge : 0), 0);
  return [
    ...records.flatMap((record) => {
      const charge = record.status === 'success' ? record.charge : 0;
      const amounts = booked.filter(({ recordId }) => recordId === record.id).map(({ amount }) => amount);
      const isRight = charge === 0 ? amounts.length === 0 : amounts.length === 1 && amounts[0] === charge;
      return isRight ? [] : [`${record.id}: ${String(charge)}, booked ${JSON.stringify(amounts)}`];
    }),
    ...(spent === due ? [] : [`spent ${String(spent)}, due ${String(due)}`]),
  ];
}

/** At least one post for each delivery of each record, all of a delivery by the same id. */
async function wrongWebhooks({ mongo, receiver }: FaultBench, records: readonly DownloadRecord[]): Promise<string[]> {
  const store = createDeliveryStore(mongo.db);
  const wrong: string[] = [];
  for (const { id } of records) {
    const deliveries = await store.ofRecord(id);
    const told = new Set(
      receiver.posts.map(({ headers }) => String(headers['webhook-id'])).filter((one) => one.startsWith(id)),
    );
    const isComplete = deliveries.every((one) => one.state === 'delivered' && told.has(webhookIdOf(one.id)));
    if (deliveries.length === 0 || !isComplete || told.size !== deliveries.length) {
      wrong.push(`${id}: ${JSON.stringify(deliveries.map(({ state, attempts }) => [state, attempts.length]))}`);
    }
  }
  return wrong;
}

/** In the work folder, and in the bucket: objects of no record, and parts of what was never ended. */
async function leftBehind({ service, bucket }: FaultBench, records: readonly DownloadRecord[]): Promise<string[]> {
  const known = new Set(records.flatMap((record) => filesOf(record).map(({ name }) => `files/${record.id}/${name}`)));
  const patience = { maxAttempts: 2, answerTimeoutMs: 15_000, idleTimeoutMs: 60_000 };
  const { client } = openBucket({
    ...{ ...inject('s3'), bucket, prefix: 'files/', region: 'us-east-1', forcePathStyle: true, patience },
  });
  const { Contents: objects = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  const { Uploads: uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  client.destroy();
  return [
    ...(await service.filesOnDisk()).work,
    ...objects.flatMap(({ Key = '' }) => (known.has(Key) ? [] : [Key])),
    ...uploads.map(({ Key = '' }) => `parts of ${Key}`),
  ];
}

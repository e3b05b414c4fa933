import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import { webhookIdOf } from '../../contract/http/delivery-schemas.ts';
import type { DownloadRecord, PublishedFile } from '../../contract/download-record.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createDeliveryStore } from '../../store/records/delivery-store.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { isUnpaidTwice } from '../../quality/chaos/audit/jobs.ts';
import { openBucket } from '../../store/files/s3-bucket.ts';
import { createS3Files } from '../../store/files/s3-files.ts';
import type { FaultBench } from './fault-bench.ts';
import { probe } from './media.ts';
import { until } from './until.ts';

/** What must be empty in the end, but for `uncertain`: each entry says what is wrong with what. */
export interface Audit {
  /** Accepted, and without a success. */
  readonly lost: readonly string[];
  /** Failed, since the dataset API did not say whether it had begun what it charges for: which the job decides and callers see. */
  readonly uncertain: readonly string[];
  /** Subjects fetched more than once. */
  readonly twice: readonly string[];
  readonly wrongFiles: readonly string[];
  readonly wrongCharges: readonly string[];
  readonly wrongWebhooks: readonly string[];
  readonly leftBehind: readonly string[];
}

const ALL = 1_000;
const FILES_AT_ONCE = 4;

interface Links {
  readonly audio_url?: string;
  readonly file_urls?: readonly string[];
}

/** Looks, past the spoilt lines, at everything that jobs leave. @param accepted the ids that callers received */
export async function audit(bench: FaultBench, accepted: readonly string[]): Promise<Audit> {
  const records = await createRecordStore(bench.mongo.db).list({ limit: ALL });
  const successes = records.filter((record) => record.status === 'success');
  const subjects = successes.map(({ subjectId }) => subjectId);
  const uncertain = records.filter(isUnpaidTwice);
  const isTold = (id: string) => [...successes, ...uncertain].some((record) => record.id === id);
  return {
    lost: [
      ...accepted.filter((id) => !isTold(id)),
      ...records.flatMap((record) => {
        if (isTold(record.id)) return [];
        return [`${record.id}: ${record.status === 'failed' ? JSON.stringify(record.failure) : record.status}`];
      }),
    ],
    uncertain: uncertain.map(({ id }) => id),
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
async function wrongFiles(bench: FaultBench, records: readonly DownloadRecord[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-audit-'));
  const wrong: string[] = [];
  const rest = records.values();
  const work = async (): Promise<void> => {
    for (const record of rest) if (!(await hasRightFile(bench, record, folder))) wrong.push(record.id);
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, work));
  await rm(folder, { recursive: true });
  return wrong;
}

async function hasRightFile({ service, key }: FaultBench, record: DownloadRecord, folder: string): Promise<boolean> {
  const [file] = filesOf(record);
  if (record.status !== 'success' || file === undefined) return true;
  const headers = { authorization: `Bearer ${key.text}` };
  const read = async (): Promise<Buffer> => {
    const { body } = await service.request<{ data: Links }>('GET', `/downloads/${record.id}`, { headers });
    const link = body.data.audio_url ?? body.data.file_urls?.[0] ?? '';
    return Buffer.from(await (await fetch(link)).arrayBuffer());
  };
  // An idle connection may have been closed.
  const bytes = await until(() => read().catch(() => undefined), { what: `the file of ${record.id}` });
  const copy = join(folder, file.name);
  await writeFile(copy, bytes);
  const { duration } = await probe(copy).catch(() => ({ duration: -1 }));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const isWhole = Math.abs(duration - (record.durationSeconds ?? 0)) <= 1;
  return isWhole && sha256 === file.sha256 && bytes.length === file.sizeBytes;
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
  const all = await createDeliveryStore(mongo.db).list({ limit: ALL });
  const wrong: string[] = [];
  for (const { id, parameters } of records) {
    // A profile that comes with a post has no subscriber.
    if (parameters !== undefined && 'paidBy' in parameters) continue;
    const deliveries = all.filter(({ recordId }) => recordId === id);
    const posted = new Set(
      receiver.posts.map(({ headers }) => String(headers['webhook-id'])).filter((one) => one.startsWith(id)),
    );
    const isComplete = deliveries.every((one) => one.state === 'delivered' && posted.has(webhookIdOf(one.id)));
    if (deliveries.length === 0 || !isComplete || posted.size !== deliveries.length) {
      wrong.push(
        `${id} ${String(posted.size)} posts: ${JSON.stringify(deliveries.map(({ state, attempts }) => [state, attempts.length]))}`,
      );
    }
  }
  return wrong;
}

/** In the work folder, and in the bucket: objects of no record, and parts of what was never ended that the daily sweep leaves too. */
async function leftBehind({ service, bucket }: FaultBench, records: readonly DownloadRecord[]): Promise<string[]> {
  const known = new Set(records.flatMap((record) => filesOf(record).map(({ name }) => `files/${record.id}/${name}`)));
  const limits = { maxAttempts: 2, answerTimeoutMs: 15_000, idleTimeoutMs: 60_000 };
  const settings = { ...inject('s3'), bucket, prefix: 'files/', region: 'us-east-1', forcePathStyle: true, limits };
  // Of an upload whose beginning was answered on a line that had vanished nobody knows the id: that is what the sweep is for.
  await createS3Files(settings).removeLeftovers(Date.now() + 60_000);
  const { client } = openBucket(settings);
  const { Contents: objects = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  const { Uploads: uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  client.destroy();
  return [
    ...(await service.filesOnDisk()).work,
    ...objects.flatMap(({ Key = '' }) => (known.has(Key) ? [] : [Key])),
    ...uploads.map(({ Key = '' }) => `parts of ${Key}`),
  ];
}

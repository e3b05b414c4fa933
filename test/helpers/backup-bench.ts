import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { failureFor } from '../../contract/failures.ts';
import type { JobInput } from '../../contract/job-input.ts';
import type { DownloadRecord } from '../../contract/download-record.ts';
import { speakerNamesPiece } from '../../contract/kinds/speaker-names.ts';
import { backUp } from '../../store/backup/backup.ts';
import { createAccountStore } from '../../store/accounts/account-store.ts';
import { createContentsStore } from '../../store/records/contents-store.ts';
import { createDeliveryStore } from '../../store/records/delivery-store.ts';
import { createDiskFiles } from '../../store/files/disk-files.ts';
import { createKeyDownloadStore } from '../../store/accounts/key-downloads.ts';
import { openMongo, type Mongo } from '../../store/mongo/mongo-client.ts';
import { createRecordStore } from '../../store/records/record-store.ts';
import { ROOT } from './markdown.ts';
import { keepJob, anAudioJob } from './jobs.ts';

export const KEY = '3f9c2a7be4d05816';
export const GRANTED = 100_000;
/** Callers choose it, and these characters end lines for some who read text. */
const RECEIVER = 'https://receiver.example/\u2028a\u2029b\u0085c';

export const silent = { print: (): void => undefined };

/** Creates a folder for the tests of a file, and services with their own databases. */
export function useBackupBench() {
  let root = '';
  const opened: Mongo[] = [];
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapedeck-backup-'));
  });
  afterAll(async () => {
    for (const mongo of opened) {
      await mongo.db.dropDatabase();
      await mongo.close();
    }
    await rm(root, { recursive: true, force: true });
  });
  return {
    root: () => root,
    /** @returns the stores of a new service */
    aService: () => {
      const name = `backup-${randomUUID().slice(0, 8)}`;
      const mongo = openMongo({ uri: inject('mongodbUri'), database: name, timeoutMs: 20_000 });
      opened.push(mongo);
      const { db } = mongo;
      const dataDir = join(root, name);
      const filesRoot = join(dataDir, 'files');
      return {
        ...{ db, dataDir, files: createDiskFiles(filesRoot), filesLocation: `the folder ${filesRoot}` },
        ...{ workDir: join(dataDir, 'work'), records: createRecordStore(db), accounts: createAccountStore(db) },
        ...{ contents: createContentsStore(db), deliveries: createDeliveryStore(db) },
        ...{ keyDownloads: createKeyDownloadStore(db) },
      };
    },
  };
}
export type BackupService = ReturnType<ReturnType<typeof useBackupBench>['aService']>;

/** Empties a store as an operator does after an interrupted restore. */
export async function empty({ db, dataDir }: BackupService): Promise<void> {
  await db.dropDatabase();
  await rm(join(dataDir, 'files'), { recursive: true, force: true });
}

/** @returns the environment of a process on the data of a service */
export function environmentOf({ db, dataDir }: BackupService): NodeJS.ProcessEnv {
  return {
    ...{ ...process.env, DATA_DIR: dataDir, FILES_STORE: 'disk', MONGODB_DATABASE: db.databaseName },
    ...{ MONGODB_URI: inject('mongodbUri'), TEMPORAL_ADDRESS: inject('temporalAddress') },
    ...{ LINK_SECRET: 's'.repeat(64), RPC_TOKEN: 't'.repeat(64), LOG_FORMAT: 'json' },
  };
}

/** Runs a program of the service, such as `api/main.ts`, on its data. @returns its exit code and output */
export async function runMain(main: string, service: BackupService, args: readonly string[] = []) {
  const env = environmentOf(service);
  const child = spawn(process.execPath, [main, ...args], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  // A program that starts would never exit.
  const late = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const printed = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await exit;
  clearTimeout(late);
  return { code, output: printed.join('') };
}

/** Accepts a job of the key. */
export async function accept({ records, accounts, keyDownloads }: BackupService): Promise<JobInput> {
  const job = { ...anAudioJob(), chargedTo: KEY, webhookUrl: RECEIVER };
  const { recordId, subjectId, price: amount } = job;
  expect(await accounts.reserve(KEY, [{ recordId, subjectId, amount }])).toBe(true);
  await keepJob(records, job);
  await keyDownloads.note(KEY, recordId);
  return job;
}

/** Ends it as its workflow does. @returns the record, as callers are answered from then on */
export async function finish(
  { records, files, contents, deliveries, workDir }: BackupService,
  job: JobInput,
): Promise<DownloadRecord> {
  const { recordId } = job;
  await mkdir(workDir, { recursive: true });
  const source = join(workDir, recordId);
  await writeFile(source, `media of ${recordId}`);
  const file = await files.publish(source, { recordId, name: 'a.m4a' }, new AbortController().signal);
  await contents.putFacts(recordId, { title: `Facts of ${recordId}` });
  await contents.putPiece(speakerNamesPiece(recordId), [{ 'Speaker 1': `Anna ${recordId}` }]);
  const record = await keepJob(records, job, { status: 'success', result: { durationSeconds: 1.5, files: [file] } });
  const id = `webhook/${recordId}/1`;
  await deliveries.open({ id, recordId, url: RECEIVER, endpoint: 'audio', createdAt: record.createdAt });
  return record;
}

/** Creates a backup of a new service with jobs that have ended, and jobs that are running. */
export async function aBackup(service: BackupService, folder: string, counts = { ended: 3, running: 2 }) {
  await service.accounts.open(KEY, GRANTED);
  const ended: DownloadRecord[] = [];
  while (ended.length < counts.ended) ended.push(await finish(service, await accept(service)));
  const running: JobInput[] = [];
  while (running.length < counts.running) running.push(await accept(service));
  // The provider bills a part of the last one.
  await service.records.recordProviderCall(running.at(-1)!.recordId, 'posts');
  await backUp({ folder, ...service, copiesFiles: true, ...silent });
  return { folder, ended, running };
}

/** Expects that a service has all of a backup. */
export async function expectWhole(
  { records, files, accounts }: BackupService,
  { ended, running }: Awaited<ReturnType<typeof aBackup>>,
): Promise<void> {
  let spent = 0;
  for (const record of ended) {
    expect(await records.get(record.id)).toEqual(record);
    expect(await files.open({ recordId: record.id, name: 'a.m4a' })).toBeDefined();
    spent += record.status === 'success' ? record.charge : 0;
  }
  for (const { recordId } of running) {
    expect(await records.get(recordId)).toMatchObject({ status: 'failed', failure: failureFor('lostInRestore') });
  }
  expect(await accounts.get(KEY)).toMatchObject({ spent, available: GRANTED - spent });
  expect(await accounts.reservations(KEY)).toEqual([]);
}

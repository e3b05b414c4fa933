// npm run bench-files [-- SIZE_MIB]: a large file through each store, published and served, each in a process of its own,
// and how much memory that process took beyond what it had when it began.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { H3, serve } from 'h3';
import { pino } from 'pino';
import { ulid } from 'ulid';
import { fileHost } from '../../api/file-host.ts';
import type { PublishedFile } from '../../contract/records.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startS3Server } from '../../local/engines/s3-server.ts';
import { createFileStore, WORKER_PATIENCE, type FilesPlace } from '../../store/create-file-store.ts';
import { createLinkSigner } from '../../store/links.ts';
import { openBucket } from '../../store/s3-bucket.ts';

const MIB = 1024 ** 2;
const BOOTSTRAP = fileURLToPath(new URL('../../local/bootstrap.mjs', import.meta.url));
const [task, order = '{}'] = process.argv.slice(2);

interface Order {
  readonly place: FilesPlace;
  readonly source: string;
  readonly recordId: string;
}

if (task === 'publish') await publish(JSON.parse(order) as Order);
else if (task === 'serve') await serveOnce(JSON.parse(order) as Order);
else await compare(Number(task ?? 2048) * MIB);

async function compare(sizeBytes: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-bench-'));
  const log = (line: string): void => console.error(line);
  const server = await startS3Server({
    env: process.env,
    cacheDir: defaultCacheDir(process.env),
    log,
    stateDir: folder,
  });
  try {
    const { endpoint, accessKeyId, secretAccessKey } = server;
    const bucket = `bench-${randomUUID()}`;
    const key = { endpoint, accessKeyId, secretAccessKey, bucket, region: 'us-east-1', prefix: 'files/' };
    const s3: FilesPlace = { kind: 's3', ...key, forcePathStyle: true };
    const { client } = openBucket({ ...s3, patience: WORKER_PATIENCE });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    const original = join(folder, 'original');
    await write(original, sizeBytes);
    for (const place of [{ kind: 'disk', root: join(folder, 'files') } as const, s3]) {
      const source = join(folder, 'source');
      await copyFile(original, source);
      const job: Order = { place, source, recordId: ulid() };
      for (const one of ['publish', 'serve'] as const)
        console.log(`${place.kind} ${one}: ${await inProcess(one, job)}`);
    }
  } finally {
    await server.daemon.stop(5_000);
    await rm(folder, { recursive: true, force: true });
  }
}

async function write(path: string, sizeBytes: number): Promise<void> {
  const handle = await open(path, 'w');
  const piece = randomBytes(MIB);
  for (let written = 0; written < sizeBytes; written += MIB) await handle.write(piece);
  await handle.close();
}

async function publish({ place, source, recordId }: Order): Promise<void> {
  const files = createFileStore(place, WORKER_PATIENCE);
  await files.check();
  await measured(() => files.publish(source, { recordId, name: 'large.mp4' }, new AbortController().signal));
}

async function serveOnce({ place, recordId }: Order): Promise<void> {
  const files = createFileStore(place, WORKER_PATIENCE);
  const signer = createLinkSigner({ secrets: ['x'.repeat(32)], driveUrl: '', ttlSeconds: 3_600 });
  const app = new H3().get('/files/**', fileHost({ files, signer, log: pino({ level: 'warn' }) }));
  const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true });
  await server.ready();
  const url = (server.url ?? '').replace(/\/$/, '') + signer.linkTo(recordId, 'large.mp4');
  // The reader is this process too: what it holds counts as well.
  await measured(async (): Promise<Pick<PublishedFile, 'sizeBytes'>> => {
    let sizeBytes = 0;
    await new Promise<void>((resolve, reject) => {
      get(url, (answer) => answer.on('data', (chunk: Buffer) => (sizeBytes += chunk.length)).on('end', resolve)).on(
        'error',
        reject,
      );
    });
    return { sizeBytes };
  });
  await server.close(true);
}

async function measured(work: () => Promise<Pick<PublishedFile, 'sizeBytes'>>): Promise<void> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
  const started = performance.now();
  const { sizeBytes } = await work();
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1000;
  const mib = (bytes: number): string => `${String(Math.round(bytes / MIB))} MiB`;
  console.log(
    `${mib(sizeBytes)} in ${seconds.toFixed(1)} s, memory ${mib(before)} to ${mib(most)}, that is ${mib(most - before)} more`,
  );
}

function inProcess(one: string, job: Order): Promise<string> {
  const child = spawn(process.execPath, [BOOTSTRAP, 'quality/bench/files.ts', one, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  return new Promise((resolve, reject) => {
    child.on('close', (code) =>
      code === 0 ? resolve(text.trim()) : reject(new Error(`${one} ended with ${String(code)}`)),
    );
  });
}

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startDaemon } from '../../local/engines/daemon.ts';
import { programEnv, type Setup } from '../../local/engines/environment.ts';
import { checkListens, freePort } from '../../local/engines/ports.ts';
import { s3Server } from '../../local/engines/s3-server.ts';
import { ensure } from '../../local/engines/strategies.ts';

const READY_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 1_000;

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

/** Starts the server on a free port of 127.0.0.1 with a new key; buckets are folders of `stateDir`. @throws if it does not start */
export async function startS3Server({ stateDir, ...setup }: Setup & { stateDir: string }) {
  const { value: program } = await ensure(s3Server(setup), setup.log);
  const { env, log } = setup;
  const port = await freePort();
  const [objects, metadata] = [join(stateDir, 'objects'), join(stateDir, 'metadata')];
  for (const dir of [objects, metadata]) await mkdir(dir, { recursive: true, mode: 0o700 });
  const [accessKeyId, secretAccessKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')];
  const daemon = await startDaemon({
    name: 'S3 server',
    program,
    // Some file systems lack extended attributes.
    args: ['--port', `127.0.0.1:${String(port)}`, '--quiet', '--keep-alive', 'posix', '--sidecar', metadata, objects],
    // Every user of the machine can read arguments.
    env: { ...programEnv(env), ROOT_ACCESS_KEY_ID: accessKeyId, ROOT_SECRET_ACCESS_KEY: secretAccessKey },
    cwd: stateDir,
    logFile: join(stateDir, 's3-server.log'),
    check: () => checkListens({ host: '127.0.0.1', port }, CHECK_TIMEOUT_MS),
    readyTimeoutMs: READY_TIMEOUT_MS,
    log,
  });
  return { endpoint: `http://127.0.0.1:${String(port)}`, accessKeyId, secretAccessKey, daemon };
}

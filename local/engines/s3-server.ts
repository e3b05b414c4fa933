import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startDaemon } from './daemon.ts';
import { programEnv, type Setup } from './environment.ts';
import { goInstall, platformFolder, releaseDownload } from './install.ts';
import { checkListens, freePort } from './ports.ts';
import { capture } from './programs.ts';
import { ensure, programTool, type Tool } from './strategies.ts';

const VERSION = '1.8.0';
const READY_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 1_000;

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

/** The `versitygw` program, which keeps objects as files. For tests only. */
export function s3Server(setup: Setup): Tool {
  const { env } = setup;
  const check = async (program: string): Promise<string> => {
    // A program that was built from source has no version.
    if (!/^Version\s*:/m.test(await capture(program, ['--version'], env)))
      throw new Error(`${program} is not versitygw`);
    return 'for tests only';
  };
  const program = join(platformFolder(setup, `versitygw-${VERSION}`), 'versitygw');
  const target = { program, check, env };
  const system = process.platform === 'darwin' ? 'Darwin' : 'Linux';
  const archive = `versitygw_v${VERSION}_${system}_${process.arch === 'x64' ? 'x86_64' : process.arch}`;
  return programTool(setup, {
    name: 'S3 server',
    setting: 'VERSITYGW_PATH',
    names: ['versitygw'],
    hint: 'put versitygw on PATH, or set VERSITYGW_PATH',
    cached: [program],
    version: check,
    installed: [
      releaseDownload({
        ...target,
        site: 'https://github.com/versity/versitygw/releases/download',
        mirrorSetting: 'VERSITYGW_DOWNLOAD_URL',
        release: (base) => ({ folder: `${base}/v${VERSION}`, name: `${archive}.tar.gz`, sums: 'checksums.txt' }),
        inArchive: { path: 'versitygw', outer: 1 },
      }),
      goInstall({
        ...target,
        module: `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`,
        oldestGo: '1.25',
        what: `building versitygw ${VERSION} (a few minutes the first time)`,
      }),
    ],
  });
}

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

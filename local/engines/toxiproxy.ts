import { join } from 'node:path';
import { fetch } from 'undici';
import { startDaemon } from './daemon.ts';
import { programEnv, type Setup } from './environment.ts';
import { GO_PLATFORM, goInstall, platformFolder, releaseDownload } from './install.ts';
import { freePort } from './ports.ts';
import { capture } from './programs.ts';
import { ensure, programTool, type Tool } from './strategies.ts';
import type { Supervised } from '../supervise.ts';

const VERSION = '2.12.0';
const PROGRAM = 'toxiproxy-server';
const READY_TIMEOUT_MS = 30_000;
const CHECK_TIMEOUT_MS = 1_000;

/** A server that forwards TCP connections and spoils them when its API is told to. */
export interface ToxiproxyServer {
  /** Address of its API. */
  readonly url: string;
  readonly daemon: Supervised;
}

/** For tests only. */
export function toxiproxy(setup: Setup): Tool {
  const { env } = setup;
  const check = async (program: string): Promise<string> => {
    // One that was installed from its source does not know its version.
    if (!/^toxiproxy-server version /m.test(await capture(program, ['-version'], env))) {
      throw new Error(`${program} is not toxiproxy`);
    }
    return 'for tests only';
  };
  const program = join(platformFolder(setup, `toxiproxy-${VERSION}`), PROGRAM);
  const target = { program, check, env };
  return programTool(setup, {
    name: 'toxiproxy',
    setting: 'TOXIPROXY_PATH',
    names: [PROGRAM],
    hint: `put ${PROGRAM} on PATH, or set TOXIPROXY_PATH`,
    cached: [program],
    version: check,
    installed: [
      releaseDownload({
        ...target,
        site: 'https://github.com/Shopify/toxiproxy/releases/download',
        mirrorSetting: 'TOXIPROXY_DOWNLOAD_URL',
        // The release has bare programs, and the sums of them all beside.
        release: (base) => {
          const name = `${PROGRAM}-${GO_PLATFORM.replace('_', '-')}`;
          return { folder: `${base}/v${VERSION}`, name, sums: 'checksums.txt' };
        },
      }),
      goInstall({
        ...target,
        module: `github.com/Shopify/toxiproxy/v2/cmd/server@v${VERSION}`,
        oldestGo: '1.23',
        what: `building toxiproxy ${VERSION}`,
      }),
    ],
  });
}

/** Starts it with its API on a free port of 127.0.0.1, without any line yet. @throws when it does not come up */
export async function startToxiproxy({ stateDir, ...setup }: Setup & { stateDir: string }): Promise<ToxiproxyServer> {
  const { value: program } = await ensure(toxiproxy(setup), setup.log);
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}`;
  const daemon = await startDaemon({
    name: 'toxiproxy',
    program,
    args: ['-host', '127.0.0.1', '-port', String(port)],
    env: programEnv(setup.env),
    cwd: stateDir,
    logFile: join(stateDir, 'toxiproxy.log'),
    check: async () => {
      const answer = await fetch(`${url}/version`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) });
      await answer.body?.cancel();
    },
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: setup.log,
  });
  return { url, daemon };
}

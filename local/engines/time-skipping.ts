import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprint, installOnce } from './cache.ts';
import { probe } from './download.ts';
import { isExecutable, requireOnPath, step, type Env } from './programs.ts';
import { firstWay, type Log, type Way } from './ways.ts';

const VERSION = '1.38.0';
const POM = fileURLToPath(new URL('./test-server/pom.xml', import.meta.url));
const DOWNLOAD_INFO_URL = 'https://temporal.download/temporal-test-server/default';
const MAVEN_TIMEOUT_MS = 10 * 60_000;
/** A short-lived server gains more from a quick start than from optimized code. */
const JAVA_FLAGS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto';

/** What `TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })` takes. */
export type TimeSkippingServer =
  | { readonly type: 'existing-path'; readonly path: string }
  | { readonly type: 'cached-download'; readonly downloadDir: string };

export interface TimeSkippingSetup {
  readonly env: Env;
  readonly cacheDir: string;
  readonly log: Log;
}

/** Temporal's test server that skips time, set up when needed. Only tests use it. @throws {NoWayError} */
export async function ensureTimeSkippingServer(setup: TimeSkippingSetup): Promise<TimeSkippingServer> {
  return (
    await firstWay('Temporal test server', [...timeSkippingFound(setup), ...timeSkippingInstalled(setup)], setup.log)
  ).value;
}

/** Ways that only look. */
export function timeSkippingFound({ cacheDir, env }: TimeSkippingSetup): Way<TimeSkippingServer>[] {
  return [
    {
      name: 'in the cache',
      looks: true,
      attempt: async () => {
        const path = launcher(cacheDir);
        if (!(await isExecutable(path))) throw new Error('not there yet');
        const java = /^exec '(.*?)'/m.exec(await readFile(path, 'utf8'))?.[1];
        if (java === undefined || !(await isExecutable(java))) {
          // The launcher names the Java it was made with; that one may have been upgraded away.
          await writeLauncher(folder(cacheDir), await requireOnPath('java', env));
        }
        return { type: 'existing-path', path };
      },
    },
  ];
}

/** Ways that install into the cache. */
export function timeSkippingInstalled({ cacheDir, env }: TimeSkippingSetup): Way<TimeSkippingServer>[] {
  return [
    {
      name: "the SDK's download",
      hint: `access to ${new URL(DOWNLOAD_INFO_URL).host}`,
      possible: () => probe(DOWNLOAD_INFO_URL),
      attempt: async () => {
        await probe(DOWNLOAD_INFO_URL);
        return { type: 'cached-download', downloadDir: cacheDir };
      },
    },
    {
      name: 'Maven',
      hint: 'Java 11 or newer and Maven (mvn) on PATH, and a Maven repository',
      possible: () => Promise.all([requireOnPath('java', env), requireOnPath('mvn', env)]),
      attempt: async (log) => {
        const [java, mvn] = [await requireOnPath('java', env), await requireOnPath('mvn', env)];
        await installOnce(folder(cacheDir), async (staging) => {
          const jars = `-DoutputDirectory=${join(staging, 'jars')}`;
          await step(
            [
              mvn,
              '-q',
              '-B',
              '--strict-checksums',
              '-f',
              POM,
              'dependency:copy-dependencies',
              '-DincludeScope=runtime',
              jars,
            ],
            {
              cwd: staging,
              env,
              log,
              what: `fetching io.temporal:temporal-test-server ${VERSION} (about 40 MB)`,
              timeoutMs: MAVEN_TIMEOUT_MS,
            },
          );
          await writeLauncher(staging, java);
        });
        return { type: 'existing-path', path: launcher(cacheDir) };
      },
    },
  ];
}

/** The folder is found at run time, since it is renamed after the installation. */
async function writeLauncher(dir: string, java: string): Promise<void> {
  const quoted = java.replaceAll("'", String.raw`'\''`);
  const script = `#!/bin/sh\nexec '${quoted}' ${JAVA_FLAGS} -cp "\${0%/*}/jars/*" io.temporal.testserver.TestServer "$@"\n`;
  await writeFile(join(dir, 'temporal-test-server'), script, { mode: 0o755 });
}

function folder(cacheDir: string): string {
  return join(cacheDir, `temporal-test-server-${VERSION}-${fingerprint(POM)}`);
}

function launcher(cacheDir: string): string {
  return join(folder(cacheDir), 'temporal-test-server');
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isExecutable } from '../../runtime/subprocess/linked-programs.ts';
import { fingerprint, installOnce } from './cache.ts';
import type { Setup } from './environment.ts';
import { requireOnPath, step } from './programs.ts';
import { probe } from './install.ts';
import { inCache, type Tool } from './strategies.ts';

const VERSION = '1.38.0';
const POM = fileURLToPath(new URL('./test-server/pom.xml', import.meta.url));
const DOWNLOAD_INFO_URL = 'https://temporal.download/temporal-test-server/default';
const JAVA_FLAGS = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto';

/** The test server that `TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })` starts. */
export type TimeSkippingServer =
  | { readonly type: 'existing-path'; readonly path: string }
  | { readonly type: 'cached-download'; readonly downloadDir: string };

export function timeSkippingServer({ cacheDir, env }: Setup): Tool<TimeSkippingServer> {
  const folder = join(cacheDir, `temporal-test-server-${VERSION}-${fingerprint(POM)}`);
  const path = join(folder, 'temporal-test-server');
  return {
    name: 'Temporal test server',
    found: [
      inCache([path], async () => {
        const java = /^exec '(.*?)'/m.exec(await readFile(path, 'utf8'))?.[1];
        if (java === undefined || !(await isExecutable(java))) {
          // The Java that the launcher names may have been removed.
          await writeLauncher(folder, await requireOnPath('java', env));
        }
        return { type: 'existing-path', path };
      }),
    ],
    installed: [
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
          await installOnce(folder, async (staging) => {
            const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime'];
            const jars = `-DoutputDirectory=${join(staging, 'jars')}`;
            const what = `fetching io.temporal:temporal-test-server ${VERSION} (about 40 MB)`;
            const args = ['-q', '-B', '--strict-checksums', '-f', POM, ...goal, jars];
            await step([mvn, ...args], { cwd: staging, env, log, what });
            await writeLauncher(staging, java);
          });
          return { type: 'existing-path', path };
        },
      },
    ],
    describe: (server) => {
      const where = server.type === 'existing-path' ? server.path : server.downloadDir;
      return Promise.resolve({ version: 'for tests only', where });
    },
  };
}

/** The launcher finds its folder at run time, since the folder is renamed after the installation. */
async function writeLauncher(dir: string, java: string): Promise<void> {
  const quoted = java.replaceAll("'", String.raw`'\''`);
  const script = `#!/bin/sh\nexec '${quoted}' ${JAVA_FLAGS} -cp "\${0%/*}/jars/*" io.temporal.testserver.TestServer "$@"\n`;
  await writeFile(join(dir, 'temporal-test-server'), script, { mode: 0o755 });
}

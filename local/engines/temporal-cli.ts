import { join } from 'node:path';
import type { Env, Setup } from './environment.ts';
import { GO_PLATFORM, goInstall, platformFolder, releaseDownload } from './install.ts';
import { capture } from './programs.ts';
import { programTool, wasChecked, type Tool } from './strategies.ts';

/** The newest CLI that `go install` accepts; later ones have replace directives. */
export const TEMPORAL_CLI_VERSION = '1.5.1';
/** SHA-256 of the archives of that version, by platform. */
const ARCHIVES: Readonly<Record<string, string>> = {
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
};

export function temporalCli(setup: Setup, archives = ARCHIVES): Tool {
  const { env } = setup;
  const version = async (program: string): Promise<string> => `server ${await serverVersion(program, env)}`;
  const program = join(platformFolder(setup, `temporal-cli-${TEMPORAL_CLI_VERSION}`), 'temporal');
  const target = { program, check: version, env };
  return programTool(setup, {
    name: 'Temporal',
    setting: 'TEMPORAL_CLI_PATH',
    names: ['temporal'],
    hint: 'install the Temporal CLI, or run your own server and set TEMPORAL_ADDRESS',
    cached: [program],
    checkCached: wasChecked,
    version,
    installed: [
      releaseDownload({
        ...target,
        site: 'https://github.com/temporalio/cli/releases/download',
        mirrorSetting: 'TEMPORAL_DOWNLOAD_URL',
        release: (base) => {
          const sha256 = archives[GO_PLATFORM];
          if (sha256 === undefined) throw new Error(`there is no release for ${GO_PLATFORM}`);
          const name = `temporal_cli_${TEMPORAL_CLI_VERSION}_${GO_PLATFORM}.tar.gz`;
          return { folder: `${base}/v${TEMPORAL_CLI_VERSION}`, name, sha256 };
        },
        inArchive: { path: 'temporal', outer: 0 },
      }),
      goInstall({
        ...target,
        module: `github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}`,
        oldestGo: '1.24',
        what: `building the Temporal CLI ${TEMPORAL_CLI_VERSION} (a few minutes the first time)`,
      }),
    ],
  });
}

/** `1.29.1` of `temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)`. @throws when it is not the Temporal CLI */
async function serverVersion(program: string, env: Env): Promise<string> {
  const line = await capture(program, ['--version'], env);
  const version = /\(Server (\d+\.\d+\.\d+)/.exec(line)?.[1];
  if (version === undefined) throw new Error(`${program} is not the Temporal CLI with a server: ${line.slice(0, 100)}`);
  return version;
}

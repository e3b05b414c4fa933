import { join } from 'node:path';
import type { Setup } from './environment.ts';
import { goInstall, platformFolder, releaseDownload } from './install.ts';
import { capture } from './programs.ts';
import { programTool, type Tool } from './strategies.ts';

const VERSION = '1.8.0';

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

import { chmod, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { aptGet } from './debian.ts';
import type { Setup } from './environment.ts';
import { installProgram, platformFolder } from './install.ts';
import { capture, requireOnPath, step } from './programs.ts';
import { programTool, type Tool } from './strategies.ts';

/** The `prometheus` program, with `promtool` beside it. For tests only. */
export function prometheus(setup: Setup): Tool {
  const { env } = setup;
  const check = async (program: string): Promise<string> => {
    const [, version] = /^prometheus, version (\S+)/.exec(await capture(program, ['--version'], env)) ?? [];
    if (version === undefined) throw new Error(`${program} is not Prometheus`);
    await capture(promtoolBeside(program), ['--version'], env);
    return `${version}, for tests only`;
  };
  const program = join(platformFolder(setup, 'prometheus-debian'), 'prometheus');
  return programTool(setup, {
    name: 'Prometheus',
    setting: 'PROMETHEUS_PATH',
    names: ['prometheus'],
    hint: 'put prometheus and promtool on PATH, or set PROMETHEUS_PATH',
    cached: [program],
    version: check,
    installed: [
      {
        // Its Go module cannot be installed by name, and its own downloads have no signature.
        name: 'Debian package',
        hint: 'Debian, and a package mirror',
        possible: () => aptGet(env),
        attempt: async (log) => {
          const [apt, unpack] = [await aptGet(env), await requireOnPath('dpkg-deb', env)];
          return installProgram({ program, check }, async (staged, staging) => {
            const at = { cwd: staging, env, log };
            if (process.getuid?.() === 0) await step([apt, 'update'], { ...at, what: 'reading the lists of packages' });
            await step([apt, 'download', 'prometheus'], { ...at, what: 'fetching prometheus (about 20 MB)' });
            const [archive = ''] = (await readdir(staging)).filter((name) => name.endsWith('.deb'));
            await step([unpack, '-x', archive, 'unpacked'], { ...at, what: 'unpacking' });
            const unpacked = join(staging, 'unpacked');
            const [tool, own] = [join(unpacked, 'usr/bin/promtool'), join(unpacked, 'usr/bin/prometheus')];
            await chmod(tool, 0o755);
            await Promise.all([rename(own, staged), rename(tool, promtoolBeside(staged))]);
            await Promise.all([join(staging, archive), unpacked].map((path) => rm(path, { recursive: true })));
          });
        },
      },
    ],
  });
}

export function promtoolBeside(program: string): string {
  return join(dirname(program), 'promtool');
}

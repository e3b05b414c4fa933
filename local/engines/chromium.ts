import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { installOnce } from './cache.ts';
import { aptGet } from './debian.ts';
import type { Env, Setup } from './environment.ts';
import { platformFolder, probe } from './install.ts';
import { capture, step } from './programs.ts';
import { firstWorking, inCache, programTool, type Strategy, type Tool } from './strategies.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;
const DOWNLOAD_URL = 'https://cdn.playwright.dev';

/** Chromium or Chrome, which only tests use. */
export function chromium(setup: Setup): Tool {
  const { env } = setup;
  const base = env['PLAYWRIGHT_DOWNLOAD_HOST'] ?? DOWNLOAD_URL;
  const tool = programTool(setup, {
    name: 'Chromium',
    setting: 'CHROMIUM_PATH',
    names: NAMES,
    hint: 'install Chromium or Chrome (on Debian: apt-get install chromium), or set CHROMIUM_PATH',
    cached: [],
    version: async (program) => `${await chromiumVersion(program, env)}, for tests only`,
    installed: [],
  });
  const onPath = tool.found.slice(0, 1);
  const installed: Strategy<string>[] = [
    {
      // Debian signs its packages, whereas only the connection authenticates the download.
      name: 'Debian package',
      hint: 'root on Debian, and a package mirror',
      possible: () => debianRoot(env),
      attempt: async (log) => {
        const program = await debianRoot(env);
        const apt = (what: string, ...args: string[]): Promise<void> =>
          step([program, '-o', 'DPkg::Lock::Timeout=300', ...args], { cwd: '/', env, log, what });
        await apt('reading the lists of packages', 'update');
        await apt('installing chromium (about 90 MB)', 'install', '-y', '--no-install-recommends', 'chromium');
        return (await firstWorking(tool.name, onPath, log)).value;
      },
    },
    {
      name: 'download of playwright-core',
      hint: `access to ${new URL(base).host}; PLAYWRIGHT_DOWNLOAD_HOST names a mirror. Libraries that are missing: as root, npx playwright-core install-deps chromium`,
      possible: () => probe(base),
      attempt: async (log) => {
        // The installer tries five times before it reports that the host is unreachable.
        await probe(base);
        await installOnce(folder(setup), async (staging) => {
          const install = [join(playwright(), 'cli.js'), 'install', '--no-shell', 'chromium'];
          const settings = { ...env, PLAYWRIGHT_BROWSERS_PATH: staging, PLAYWRIGHT_DOWNLOAD_HOST: base };
          const what = 'fetching Chromium (about 180 MB)';
          await step([process.execPath, ...install], { cwd: staging, env: settings, log, what });
          await programIn(staging, env);
        });
        return programIn(folder(setup), env);
      },
    },
  ];
  return { ...tool, found: [...onPath, inCache([folder(setup)], (dir) => programIn(dir, env))], installed };
}

async function chromiumVersion(program: string, env: Env): Promise<string> {
  const line = await capture(program, ['--version'], env);
  const version = /(?:Chromium|Chrome)\D* (\d+(?:\.\d+)+)/.exec(line)?.[1];
  if (version === undefined) throw new Error(`${program} is neither Chromium nor Chrome: ${line.slice(0, 100)}`);
  return version;
}

/** @returns the path of apt-get @throws if this is not Debian (Ubuntu's package has no browser), or the user is not root */
async function debianRoot(env: Env): Promise<string> {
  const program = await aptGet(env);
  if (process.getuid?.() !== 0) throw new Error('only root may install packages');
  return program;
}

async function programIn(dir: string, env: Env): Promise<string> {
  // The program needs this variable, which is not part of the environment of tools.
  const script =
    'process.env.PLAYWRIGHT_BROWSERS_PATH = process.argv[2]; console.log(require(process.argv[1]).chromium.executablePath())';
  const program = await capture(process.execPath, ['-e', script, playwright(), dir], env);
  await chromiumVersion(program, env);
  return program;
}

/** The folder of playwright-core, which is not imported, since the doctor also runs without development packages. */
function playwright(): string {
  return dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
}

function folder(setup: Setup): string {
  const { version } = createRequire(import.meta.url)('playwright-core/package.json') as { version: string };
  return platformFolder(setup, `chromium-playwright-${version}`);
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { exists, installOnce } from './cache.ts';
import { probe } from './download.ts';
import { capture, fromSetting, requireOnPath, step, type Env } from './programs.ts';
import type { Setup } from './temporal-cli.ts';
import { firstWay, type Found, type Way } from './ways.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;
const DOWNLOAD_URL = 'https://cdn.playwright.dev';
const INSTALL_TIMEOUT_MS = 15 * 60_000;

/** Path of a Chromium or Chrome, set up when needed. For tests only. @throws {NoWayError} */
export async function ensureChromium(setup: Setup): Promise<Found<string>> {
  const given = setup.env['CHROMIUM_PATH'];
  // A given path is taken at its word or is an error: falling back would hide the mistake.
  if (given !== undefined && given !== '')
    return { way: 'CHROMIUM_PATH', value: await givenChromium(given, setup.env) };
  return firstWay('Chromium', [...chromiumFound(setup), ...chromiumInstalled(setup)], setup.log);
}

/** The program that CHROMIUM_PATH names. @throws when it can't be run */
export async function givenChromium(value: string, env: Env): Promise<string> {
  return checked(await fromSetting('CHROMIUM_PATH', value, env), env);
}

/** Ways that only look. */
export function chromiumFound(setup: Setup): Way<string>[] {
  return [
    {
      name: 'on PATH',
      looks: true,
      hint: 'install Chromium or Chrome (on Debian: apt-get install chromium), or set CHROMIUM_PATH',
      attempt: () => onPath(setup.env),
    },
    {
      name: 'in the cache',
      looks: true,
      attempt: async () => {
        if (!(await exists(folder(setup)))) throw new Error('not there yet');
        return programIn(folder(setup), setup.env);
      },
    },
  ];
}

/** Ways that install: into the cache, or into the system where that is ours to change. */
export function chromiumInstalled(setup: Setup): Way<string>[] {
  const { env } = setup;
  const base = env['PLAYWRIGHT_DOWNLOAD_HOST'] ?? DOWNLOAD_URL;
  return [
    {
      // First: Debian signs its packages, while the download is vouched for by the connection alone.
      name: 'Debian package',
      hint: 'root on Debian, and a package mirror',
      possible: () => debianRoot(env),
      attempt: async (log) => {
        const aptGet = await debianRoot(env);
        const apt = (what: string, ...args: string[]): Promise<void> =>
          step([aptGet, '-o', 'DPkg::Lock::Timeout=300', ...args], {
            ...{ cwd: '/', env, log, timeoutMs: INSTALL_TIMEOUT_MS },
            what,
          });
        await apt('reading the lists of packages', 'update');
        await apt('installing chromium (about 90 MB)', 'install', '-y', '--no-install-recommends', 'chromium');
        return onPath(env);
      },
    },
    {
      name: 'download of playwright-core',
      hint: `access to ${new URL(base).host}; PLAYWRIGHT_DOWNLOAD_HOST names a mirror. Libraries that are missing: as root, npx playwright-core install-deps chromium`,
      possible: () => probe(base),
      attempt: async (log) => {
        // Its installer repeats a download five times before it says that there is no way to the host.
        await probe(base);
        await installOnce(folder(setup), async (staging) => {
          const install = [join(playwright(), 'cli.js'), 'install', '--no-shell', 'chromium'];
          const setting = { PLAYWRIGHT_BROWSERS_PATH: staging, PLAYWRIGHT_DOWNLOAD_HOST: base };
          await step([await requireOnPath('env', env), ...settings(setting), process.execPath, ...install], {
            ...{ cwd: staging, env, log, timeoutMs: INSTALL_TIMEOUT_MS },
            what: 'fetching Chromium (about 180 MB)',
          });
          await programIn(staging, env);
        });
        return programIn(folder(setup), env);
      },
    },
  ];
}

/** `156.0.8078.79`. @throws when it is neither Chromium nor Chrome */
export async function chromiumVersion(program: string, env: Env): Promise<string> {
  const line = await capture(program, ['--version'], env);
  const version = /(?:Chromium|Chrome)\D* (\d+(?:\.\d+)+)/.exec(line)?.[1];
  if (version === undefined) throw new Error(`${program} is neither Chromium nor Chrome: ${line.slice(0, 100)}`);
  return version;
}

async function onPath(env: Env): Promise<string> {
  const reasons: string[] = [];
  for (const name of NAMES) {
    try {
      return await checked(await requireOnPath(name, env), env);
    } catch (error) {
      // Ubuntu's chromium-browser is there, but only tells that a snap is to be installed: the next name may work.
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(reasons.join('; '));
}

/** The path of apt-get. @throws when this is not Debian, or the user may not install; Ubuntu's package holds no browser */
async function debianRoot(env: Env): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  if (!/^ID=debian$/m.test(release)) throw new Error('this is not Debian');
  if (process.getuid?.() !== 0) throw new Error('only root may install packages');
  return requireOnPath('apt-get', env);
}

/** The program in a folder that the installer of playwright-core has filled: where it lies there differs by system. */
async function programIn(dir: string, env: Env): Promise<string> {
  const ask = ['-e', 'console.log(require(process.argv[1]).chromium.executablePath())', playwright()];
  const args = [...settings({ PLAYWRIGHT_BROWSERS_PATH: dir }), process.execPath, ...ask];
  return checked(await capture(await requireOnPath('env', env), args, env), env);
}

/** For `env`: what runs programs for us hands on of the environment only what any program needs. */
function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

/** Its folder. Not imported: it is a package of the tests, and the doctor also runs where those are not installed. */
function playwright(): string {
  return dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));
}

function folder({ cacheDir }: Setup): string {
  const { version } = createRequire(import.meta.url)('playwright-core/package.json') as { version: string };
  return join(cacheDir, `chromium-playwright-${version}-${process.platform}-${process.arch}`);
}

async function checked(program: string, env: Env): Promise<string> {
  await chromiumVersion(program, env);
  return program;
}

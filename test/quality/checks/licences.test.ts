import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { IMAGE_REQUIREMENTS, ROOT, readRequirements } from '../../../quality/checks/project.ts';
import { CATALOGUE } from '../../../speech/models/catalogue.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Names without a licence, such as of an image: the page has them in brackets after the program. */
const page = read('docs/licences.md');
const missing = (names: readonly string[]): readonly string[] => names.filter((name) => !page.includes(`\`${name}\``));

it('lists the licence of every Python package in the image', () => {
  const names = IMAGE_REQUIREMENTS.flatMap((path) => readRequirements(join(ROOT, path))).map(({ name }) => name);
  expect(names).toContain('yt-dlp');
  expect(missing(names)).toEqual([]);
});

it('lists the licence of every program that the last stage of the Dockerfile installs', () => {
  const stage = read('Dockerfile')
    .split(/^FROM /m)
    .at(-1)!;
  const words = /apt-get install -y --no-install-recommends ([^\\\n]+)/.exec(stage)![1]!.trim().split(/\s+/);
  const copied = [...stage.matchAll(/^COPY --from=\w+ \/usr\/local\/bin\/(\w+)/gm)].map(([, name]) => name!);
  expect(copied).toEqual(['node']);
  const names = [...words.map((word) => basename(word, '.deb')), ...copied];
  expect(names).toContain('ffmpeg');
  expect(missing(names)).toEqual([]);
});

it('lists the licence of every image of docker-compose.yml', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: Record<string, { image: string }>;
  };
  const images = Object.values(services).map(({ image }) => image.split(':')[0]!);
  expect(images).toContain('mongo');
  expect(missing(images.filter((image) => image !== 'tapedeck'))).toEqual([]);
});

it('lists every model whose licence asks for more than its text to be kept', () => {
  const free = ['MIT', 'Apache-2.0'];
  const names = CATALOGUE.filter(({ licence }) => !free.includes(licence)).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(missing(names)).toEqual([]);
});

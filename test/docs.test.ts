import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settings } from '../config.ts';
import { ERROR_TABLE } from '../contract/errors.ts';
import { downloadRecordSchema } from '../contract/kinds.ts';
import { imgnetAudioRecordSchema, imgnetNoAudioSchema } from '../contract/kinds/imgnet-audio.ts';
import { imgnetPostSchema, imgnetReelSchema } from '../contract/kinds/imgnet-content.ts';
import { imgnetListFailedSchema, imgnetListPendingSchema, imgnetListSchema } from '../contract/kinds/imgnet-list.ts';
import { imgnetProfilePendingSchema, imgnetProfileSchema } from '../contract/kinds/imgnet-profile.ts';
import { channelProfileSchema } from '../contract/kinds/channel.ts';
import { vidnetFailedResultSchema, vidnetPendingResultSchema } from '../contract/job-answers.ts';
import { speakerLabelsPendingSchema, speakerLabelsSchema } from '../contract/kinds/speaker-labels.ts';
import { transcriptSchema } from '../contract/kinds/transcript.ts';
import { fieldsOf } from './helpers/fields.ts';
import { blocksOf, pages, readPage, ROOT } from './helpers/markdown.ts';
import { readmeBlocks } from './readme-sandbox.ts';

const blocks = pages().flatMap(blocksOf);
const settingNames = Object.keys(settings.shape);

/** The cells of the tables below a heading, without the head and the ruler. */
function rowsBelow(path: string, heading: string): string[][] {
  const section = readPage(path).split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
  const rows = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split(' | ').map((cell) => cell.trim()),
  );
  return rows.filter(([first]) => /^`/.test(first ?? ''));
}

describe('the pages', () => {
  it('link to files that exist', () => {
    const missing = pages().flatMap((page) =>
      [...readPage(page).matchAll(/\]\((?!https?:)([^)#]+)/g)]
        .map(([, target = '']) => join(dirname(page), target))
        .filter((target) => !existsSync(`${ROOT}${target}`))
        .map((target) => `${page}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it('name only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> };
    const named = pages().flatMap((page) =>
      [...readPage(page).matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)].map((match) => match[1] ?? match[2]),
    );
    expect(named).toContain('demo');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...new Set(named)]));
  });

  it('name only folders of the README that exist, and all of the product', () => {
    const named = rowsBelow('README.md', '## Folders').map(([name = '']) => name.replaceAll(/[`/]/g, ''));
    expect(named.filter((name) => !existsSync(`${ROOT}${name}`))).toEqual([]);
    const folders = layers();
    expect(named).toEqual(expect.arrayContaining(folders.filter((name) => existsSync(`${ROOT}${name}`))));
  });
});

/** The folders of the root, as the check of import directions knows them. */
function layers(): string[] {
  const text = readFileSync(`${ROOT}.dependency-cruiser.cjs`, 'utf8');
  return [...text.matchAll(/^ {2}\[('.*')\],$/gm)].flatMap(([, names = '']) =>
    names.split(', ').map((name) => name.slice(1, -1)),
  );
}

describe('docs/operations.md', () => {
  it('lists every setting with its default and meaning', () => {
    const defaults: Record<string, string | number | boolean | readonly string[] | undefined> = settings.parse({});
    const expected = Object.entries(settings.shape).map(([name, schema]) => {
      const value = defaults[name];
      return [`\`${name}\``, value === undefined || value === '' ? '–' : `\`${String(value)}\``, schema.description];
    });
    expect(rowsBelow('docs/operations.md', '## Settings').filter((row) => row.length === 3)).toEqual(expected);
  });
});

describe('docs/api.md', () => {
  it('lists every error with its codes', () => {
    const expected = Object.entries(ERROR_TABLE).map(([code, { http, trpc }]) => [
      `\`${code}\``,
      String(http),
      `\`${trpc}\``,
    ]);
    expect(rowsBelow('docs/api.md', '## Errors').map((row) => row.slice(0, 3))).toEqual(expected);
  });

  it('lists every field of the record', () => {
    const named = rowsBelow('docs/api.md', '### The record').map(([name = '']) => name.replaceAll('`', ''));
    expect(named.toSorted()).toEqual(
      [...new Set(downloadRecordSchema.options.flatMap(({ shape }) => Object.keys(shape)))].toSorted(),
    );
  });

  it.each([
    ['### The profile', channelProfileSchema],
    ['### The transcript', transcriptSchema],
    ['### Pending', vidnetPendingResultSchema],
    ['### Failed', vidnetFailedResultSchema],
    ['### The transcript with speakers', speakerLabelsSchema],
    // What is in its progress is told elsewhere.
    ['### The pending transcript with speakers', speakerLabelsPendingSchema.extend({ progress: z.object({}) })],
  ])('lists every field below %s, with its type', (heading, schema) => {
    const listed = rowsBelow('docs/api.md', heading).map(([path = '', type = '']) => [path.replaceAll('`', ''), type]);
    expect(listed.toSorted()).toEqual(fieldsOf(schema).toSorted());
  });

  it('shows records that fit the schema', () => {
    const shown = blocks.filter(({ id, language }) => id.startsWith('docs/api.md') && language === 'json');
    const records = shown
      .map(({ code }) => JSON.parse(code) as { data?: unknown; transcript_speaker_id?: string })
      .filter(({ data }) => data !== undefined);
    const labelled = records.filter((record) => record.transcript_speaker_id !== undefined);
    expect([records.length, labelled.length]).toEqual([4, 1]);
    for (const record of records) {
      const { data } = record;
      if (labelled.includes(record)) expect(speakerLabelsSchema.strict().parse(record)).toEqual(record);
      else expect(downloadRecordSchema.parse(data)).toEqual(data);
    }
  });
});

describe('docs/imgnet-profiles.md', () => {
  // What is in a progress is told elsewhere.
  it.each([
    ['### The profile', imgnetProfileSchema],
    ['### The pending profile', imgnetProfilePendingSchema.omit({ progress: true })],
    ['### The list', imgnetListSchema],
    // What is in the items and in the progress is told elsewhere.
    ['### The pending list', imgnetListPendingSchema.omit({ progress: true, posts: true, reels: true })],
    ['### The failed list', imgnetListFailedSchema],
  ])('lists every field below %s, with its type', (heading, schema) => {
    const listed = rowsBelow('docs/imgnet-profiles.md', heading).map(([path = '', type = '']) => [
      path.replaceAll('`', ''),
      type,
    ]);
    expect(listed.toSorted()).toEqual(fieldsOf(schema).toSorted());
  });
});

describe('docs/imgnet-posts.md', () => {
  it.each([
    ['### The post', imgnetPostSchema],
    ['### The reel', imgnetReelSchema],
    // What is in its progress is told elsewhere.
    ['### The audio record', imgnetAudioRecordSchema.omit({ progress: true })],
  ])('lists every field below %s, with its type', (heading, schema) => {
    const listed = rowsBelow('docs/imgnet-posts.md', heading)
      .map(([path = '', type = '']) => [path.replaceAll('`', ''), type])
      .filter(([path]) => path !== 'progress');
    expect(listed.toSorted()).toEqual(fieldsOf(schema).toSorted());
  });

  it('shows the answer without audio as it is', () => {
    const shown = blocks
      .filter(({ id, language }) => id.startsWith('docs/imgnet-posts.md') && language === 'json')
      .map(({ code }) => JSON.parse(code) as object)
      .filter((example) => 'download_id' in example);
    expect(shown.map((example) => imgnetNoAudioSchema.parse(example))).toEqual(shown);
    expect(shown).toHaveLength(1);
  });
});

describe('the snippets', () => {
  it.each(blocks.filter(({ language }) => language === 'sh'))('$id is valid shell', ({ code }) => {
    expect(spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it('of the README that run against the sandbox read its addresses', () => {
    expect(readmeBlocks().length).toBeGreaterThanOrEqual(3);
    for (const { code } of readmeBlocks()) expect(code).toMatch(/SERVICE=\$\{SERVICE:-.*SANDBOX=\$\{SANDBOX:-/);
  });

  it.each(blocks.filter(({ language }) => language === 'ts'))(
    '$id compiles against the project',
    ({ code }) => {
      expect(compileErrors(code)).toEqual([]);
    },
    60_000,
  );

  it('would not compile with a mistake in it', () => {
    const code =
      "import { createRpcClient } from './api/rpc-client.ts';\nawait createRpcClient('', { token: '' }).downloads.nothing.mutate({});";
    expect(compileErrors(code)).toEqual([expect.stringContaining("'nothing'")]);
  }, 60_000);
});

/** Compiles a module as if it lay in the root of the project. */
function compileErrors(code: string): string[] {
  const file = join(ROOT, 'snippet-of-the-docs.ts');
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(
    { ...(config as object), include: [], files: [file] },
    ts.sys,
    ROOT,
  );
  const host = ts.createCompilerHost(options);
  host.readFile = (path) => (path === file ? code : ts.sys.readFile(path));
  host.fileExists = (path) => path === file || ts.sys.fileExists(path);
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
}

interface Service {
  readonly image?: string;
  readonly environment?: Record<string, string>;
  readonly depends_on?: Record<string, unknown>;
  readonly networks?: string[];
  readonly volumes?: string[];
  readonly ports?: string[];
  readonly command?: string[];
  readonly entrypoint?: string[];
  readonly healthcheck?: { readonly test?: string | string[] };
}

describe('docker-compose.yml', () => {
  const text = readFileSync(`${ROOT}docker-compose.yml`, 'utf8');
  const compose = parse(text, { merge: true }) as {
    services: Record<string, Service>;
    networks: Record<string, unknown>;
    volumes: Record<string, unknown>;
  };
  const services = Object.entries(compose.services);

  it('gives the api all that it does not start without', () => {
    expect(Object.keys(compose.services['api']!.environment!)).toContain('RPC_TOKEN');
  });

  it.each(['api', 'worker'])('gives the %s nothing but settings', (name) => {
    const given = Object.keys(compose.services[name]!.environment!);
    expect(given).toEqual(expect.arrayContaining(['TEMPORAL_ADDRESS', 'MONGODB_URI', 'LINK_SECRET', 'PUBLIC_URL']));
    expect(given.filter((one) => !settingNames.includes(one))).toEqual([]);
  });

  it('refers only to services, networks and volumes that it defines', () => {
    for (const [, { depends_on, networks, volumes }] of services) {
      expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(Object.keys(depends_on ?? {})));
      expect(Object.keys(compose.networks)).toEqual(expect.arrayContaining(networks ?? []));
      expect(Object.keys(compose.volumes)).toEqual(
        expect.arrayContaining((volumes ?? []).map((one) => one.split(':')[0])),
      );
    }
  });

  it('publishes on loopback only, and holds no secrets', () => {
    for (const [, { ports, environment }] of services) {
      for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const [name, value] of Object.entries(environment ?? {}))
        if (/PASSWORD|SECRET|PWD|URI/.test(name)) expect(value).toMatch(/\$\{\w+:\?/);
    }
  });

  it('puts no password into the arguments of a program, which every user of the machine can read', () => {
    for (const [, { entrypoint, command, healthcheck }] of services) {
      const words = JSON.stringify([entrypoint, command, healthcheck?.test]);
      expect(words).not.toMatch(/\$\{?\w*(PASSWORD|SECRET|PWD|TOKEN|URI)|--?p(assword)?\b *["=$]/);
    }
  });

  it('lets the container of the image see the settings that the image names', () => {
    const dockerfile = readFileSync(`${ROOT}Dockerfile`, 'utf8');
    const named = [...dockerfile.matchAll(/^(?:ENV| {3}) ([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(named).toContain('DATA_DIR');
    expect(
      named.filter((name) => !['NODE_ENV', 'MALLOC_ARENA_MAX'].includes(name!) && !settingNames.includes(name!)),
    ).toEqual([]);
  });

  it('has an image of every folder which api and worker import, and of none that only runs or proves it', () => {
    expect(readFileSync(`${ROOT}Dockerfile`, 'utf8')).toMatch(/^COPY \. \.$/m);
    const left = readFileSync(`${ROOT}.dockerignore`, 'utf8').split('\n');
    const tools = ['local', 'quality', 'test'];
    expect(layers()).toEqual(expect.arrayContaining([...tools, 'api', 'worker', 'contract', 'runtime']));
    expect(
      layers()
        .filter((name) => left.includes(name))
        .toSorted(),
    ).toEqual(tools);
  });
});

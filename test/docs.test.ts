import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../config.ts';
import { ERROR_TABLE } from '../contract/http/api-error.ts';
import { downloadRecordSchema } from '../contract/kinds/kinds.ts';
import { imgnetNoAudioSchema } from '../contract/kinds/imgnet-audio.ts';
import { speakerLabelsSchema } from '../contract/kinds/speaker-labels.ts';
import { blocksOf, pages, readPage, ROOT, type Block } from './helpers/markdown.ts';
import { readmeBlocks } from './readme-sandbox.ts';

const blocks = pages().flatMap(blocksOf);
type Snippet = Pick<Block, 'id' | 'code'>;
const snippets: readonly Snippet[] = blocks.filter(({ language }) => language === 'ts');
const MISTAKEN: Snippet = {
  id: 'a mistaken one',
  code: "import { createRpcClient } from './clients/typescript/src/rpc.ts';\nawait createRpcClient('', { token: '' }).downloads.nothing.mutate({});",
};
const settingNames = Object.keys(settings.shape);

/** A page below a heading, up to the next one. */
function section(path: string, heading: string): string {
  return readPage(path).split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
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

  it('name every product folder of the root, and only folders that exist', () => {
    const list = section('CONTRIBUTING.md', '## Where things are');
    const named = [...list.matchAll(/^- `(\w+)\/`: /gm)].map(([, name = '']) => name);
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

describe('docs/settings.md', () => {
  it('lists every setting with its default and meaning', async () => {
    type Default = number | BlockList | undefined;
    const defaults = settings.parse({}) as Readonly<Record<string, unknown>> as Readonly<Record<string, Default>>;
    const lines = Object.entries(settings.shape).map(([name, { description = '' }]) => {
      // No networks are allowed by default.
      const found = defaults[name] ?? '';
      const value = found instanceof BlockList ? '' : String(found);
      return `- \`${name}\`${value === '' ? '' : ` (\`${value}\`)`}: ${description}`;
    });
    const head = 'Made from `config.ts` by `npm test -- test/docs.test.ts -u`. Defaults are in brackets.';
    await expect(`# Settings\n\n${head}\n\n${lines.join('\n')}\n`).toMatchFileSnapshot('../docs/settings.md');
  });
});

describe('docs/api.md', () => {
  it('lists every error with its codes', () => {
    const expected = Object.entries(ERROR_TABLE).map(([code, { http, trpc }]) => [code, String(http), trpc]);
    const listed = [...section('docs/api.md', '## Errors').matchAll(/^- `(\w+)` \((\d+), `(\w+)`\): \S/gm)];
    expect(listed.map(([, ...codes]) => codes)).toEqual(expected);
  });

  it('shows answers that match their schemas', () => {
    const shown = blocks
      .filter(({ id, language }) => /^docs\/(api|imgnet)\.md/.test(id) && language === 'json')
      .map(({ code }) => JSON.parse(code) as { data?: unknown; transcript_speaker_id?: string });
    const labelled = shown.filter(({ data, transcript_speaker_id }) => data !== undefined && transcript_speaker_id);
    expect(labelled.map((one) => speakerLabelsSchema.strict().parse(one))).toEqual(labelled);
    const records = shown.filter((one) => one.data !== undefined && !labelled.includes(one)).map(({ data }) => data);
    expect(records.map((one) => downloadRecordSchema.parse(one))).toEqual(records);
    const withoutAudio = shown.filter(({ data, transcript_speaker_id }) => data === undefined && transcript_speaker_id);
    expect(withoutAudio.map((one) => imgnetNoAudioSchema.parse(one))).toEqual(withoutAudio);
    expect([labelled.length, records.length, withoutAudio.length]).toEqual([1, 1, 1]);
  });
});

describe('the snippets', () => {
  it.each(blocks.filter(({ language }) => language === 'sh'))('$id is valid shell', ({ code }) => {
    expect(spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  });

  it('read the addresses of the sandbox if they run against it', () => {
    expect(readmeBlocks().length).toBeGreaterThanOrEqual(6);
    for (const { code } of readmeBlocks()) expect(code).toMatch(/SERVICE=\$\{SERVICE:-.*SANDBOX=\$\{SANDBOX:-/);
  });

  it.each(snippets)('$id compiles against the project', ({ id }) => {
    expect(compileErrors().get(id)).toEqual([]);
  });

  it('fail to compile with an error', () => {
    expect(compileErrors().get(MISTAKEN.id)).toEqual([expect.stringContaining("'nothing'")]);
  });
});

let compiled: ReadonlyMap<string, readonly string[]> | undefined;

/** What is wrong with each snippet, by its id, as if they lay in the root of the project: in one program, whose imports are read once. */
function compileErrors(): ReadonlyMap<string, readonly string[]> {
  compiled ??= compile([...snippets, MISTAKEN]);
  return compiled;
}

function compile(modules: readonly Snippet[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map(modules.map(({ code }, n) => [join(ROOT, `snippet-${String(n)}-of-the-docs.ts`), code]));
  const files = [...texts.keys()];
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent({ ...(config as object), include: [], files }, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  host.readFile = (path) => texts.get(path) ?? ts.sys.readFile(path);
  host.fileExists = (path) => texts.has(path) || ts.sys.fileExists(path);
  const program = ts.createProgram(files, options, host);
  const errorsOf = (file: string): string[] => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
    );
  };
  return new Map(modules.map(({ id }, n) => [id, errorsOf(files[n] ?? '')]));
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

  it('sets everything that the api requires', () => {
    expect(Object.keys(compose.services['api']!.environment!)).toContain('RPC_TOKEN');
  });

  it.each(['api', 'worker'])('passes only settings to the %s', (name) => {
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

  it('publishes on loopback only and contains no secrets', () => {
    for (const [, { ports, environment }] of services) {
      for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const [name, value] of Object.entries(environment ?? {}))
        if (/PASSWORD|SECRET|PWD|URI/.test(name)) expect(value).toMatch(/\$\{\w+:\?/);
    }
  });

  it('passes no password as an argument of a program, which every user of the machine can read', () => {
    for (const [, { entrypoint, command, healthcheck }] of services) {
      const words = JSON.stringify([entrypoint, command, healthcheck?.test]);
      expect(words).not.toMatch(/\$\{?\w*(PASSWORD|SECRET|PWD|TOKEN|URI)|--?p(assword)? *["=$]/);
    }
  });

  it('passes the settings of the image to the container', () => {
    const dockerfile = readFileSync(`${ROOT}Dockerfile`, 'utf8');
    const named = [...dockerfile.matchAll(/^(?:ENV| {3}) ([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(named).toContain('DATA_DIR');
    expect(
      named.filter((name) => !['NODE_ENV', 'MALLOC_ARENA_MAX'].includes(name!) && !settingNames.includes(name!)),
    ).toEqual([]);
  });

  it('copies every folder that api and worker import into the image, and no folder for development', () => {
    expect(readFileSync(`${ROOT}Dockerfile`, 'utf8')).toMatch(/^COPY \. \.$/m);
    const left = readFileSync(`${ROOT}.dockerignore`, 'utf8').split('\n');
    const tools = ['command', 'deploy', 'local', 'quality', 'test'];
    expect(layers()).toEqual(expect.arrayContaining([...tools, 'api', 'worker', 'contract', 'runtime']));
    expect(
      layers()
        .filter((name) => left.includes(name))
        .toSorted(),
    ).toEqual(tools);
  });
});

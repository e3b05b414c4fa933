import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, readdir, rm, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startStack, type Stack } from '../../local/stack.ts';
import { listeningPorts } from '../helpers/listening-ports.ts';
import { ask, fromPages, OF_THE_API, PATIENT_MS, START } from '../helpers/page-requests.ts';
import { until } from '../helpers/until.ts';

const NOBODY = 65_534;

/** Only root can start a process as somebody else. */
const CAN_INTRUDE = process.platform === 'linux' && process.getuid?.() === 0;

interface Target {
  /** Path of a Unix socket. */
  readonly socket: string;
  readonly paths: readonly string[];
  readonly pids: readonly number[];
}

/** What a user of the machine got hold of. */
interface Loot {
  readonly uid: number;
  /** `connected`, or the code of the error. */
  readonly socket: string;
  /** Of the paths, those whose text or listing could be read. */
  readonly readable: readonly string[];
  /** Of the processes, those whose environment could be read. */
  readonly environments: readonly number[];
  /** Of all processes of the machine. */
  readonly commandLines: readonly string[];
}

const INTRUDER = `
  const { readFileSync, readdirSync } = require('node:fs');
  const { connect } = require('node:net');
  const { socket, paths, pids } = JSON.parse(process.argv[1]);
  const can = (look) => { try { look(); return true } catch { return false } };
  const read = (look) => { try { return look() } catch { return '' } };
  const loot = (how) => ({
    uid: process.getuid(),
    socket: how,
    readable: paths.filter((path) => can(() => readFileSync(path)) || can(() => readdirSync(path))),
    environments: pids.filter((pid) => can(() => readFileSync('/proc/' + pid + '/environ'))),
    commandLines: readdirSync('/proc').map((name) => read(() => readFileSync('/proc/' + name + '/cmdline', 'utf8'))),
  });
  const tell = (how) => process.stdout.write(JSON.stringify(loot(how)), () => process.exit());
  connect(socket).on('connect', () => tell('connected')).on('error', (error) => tell(error.code));
`;

/** Tries to take what it is shown, as another user of this machine. */
async function intrude(target: Target): Promise<Loot> {
  // Ours may lie in a folder that nobody else can enter.
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-intruder-'));
  await chmod(folder, 0o755);
  const node = join(folder, 'node');
  await copyFile(process.execPath, node);
  const child = spawn(node, ['-e', INTRUDER, JSON.stringify(target)], {
    ...{ uid: NOBODY, gid: NOBODY, cwd: '/', env: {} },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject)).finally(() =>
    rm(folder, { recursive: true }),
  );
  return JSON.parse(output) as Loot;
}

const ROOT = join(import.meta.dirname, '../..');
const secrets = {
  WEBHOOK_SECRETS: `whsec_${randomBytes(32).toString('base64')}`,
  RPC_TOKEN: randomBytes(32).toString('hex'),
  IMGNET_API_TOKEN: randomBytes(16).toString('hex'),
};
/** Not a setting: whoever starts the service has it for something else. */
const ELSEWHERE = { CLOUD_TOKEN: randomBytes(16).toString('hex') };

const allSecrets = (): string[] => [...Object.values({ ...secrets, ...ELSEWHERE }), stack.env['LINK_SECRET'] ?? '?'];

let folder: string;
let dataDir: string;
let stack: Stack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-closed-'));
  // As the folder of a project is, in which npm start makes ./data.
  await chmod(folder, 0o755);
  dataDir = join(folder, 'data');
  const { ffmpeg, ffprobe } = inject('tools');
  const ytdlp = inject('ytdlp');
  stack = await startStack({
    env: {
      ...process.env,
      ...{ TEMPORAL_ADDRESS: '', MONGODB_URI: '', MONGODB_PORT: '', RPC_PORT: '', PORT: '', TEMPORAL_UI_PORT: '' },
      LINK_SECRET: '',
      ...{ YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe, LOG_LEVEL: 'silent' },
      ...secrets,
      ...ELSEWHERE,
    },
    dataDir,
    services: ['api', 'worker'],
    ports: 'free',
    log: () => undefined,
    output: { dir: join(dataDir, 'logs') },
  });
}, 300_000);
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

const uiPort = (): number => Number(new URL(stack.temporalUiUrl ?? '').port);
const pidOf = (name: string): number => {
  const found = stack.processes().find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} does not run`);
  return found.pid;
};
const portsOf = async (name: string): Promise<number[]> => (await listeningPorts(pidOf(name))).map(({ port }) => port);

describe("Temporal's Web UI", () => {
  it.each(fromPages)('refuses $what', async (request) => {
    const headers = { host: `127.0.0.1:${String(uiPort())}`, ...request.headers };
    expect(await ask(uiPort(), { ...request, headers })).toMatchObject({ status: 403 });
  });

  it('is there for people: by its address, by localhost, and by a link on another site', async () => {
    const path = '/namespaces/default/workflows/any';
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    for (const host of ['127.0.0.1', 'localhost']) {
      for (const how of [{}, { 'sec-fetch-site': 'none' }, link]) {
        const answer = await ask(uiPort(), {
          ...{ path, headers: { host: `${host}:${String(uiPort())}`, ...how } },
          timeoutMs: PATIENT_MS,
        });
        expect(answer?.status).toBe(200);
        expect(answer?.text).toContain('<!doctype html>');
      }
    }
  });

  it("lets people act: the page's own requests reach the server, bodies and cookies included", async () => {
    const own = { host: `localhost:${String(uiPort())}`, 'sec-fetch-site': 'same-origin' };
    const timeoutMs = PATIENT_MS;
    const page = await ask(uiPort(), { path: '/api/v1/settings', headers: own, timeoutMs });
    const cookie = String(page?.headers['set-cookie']).split(';')[0] ?? '';
    const act = async () => {
      const answer = await ask(uiPort(), {
        ...{ method: 'POST', path: `${OF_THE_API}/acted`, timeoutMs },
        body: START.replace(',"input":[{"retentionDays":-1}]', ''),
        headers: {
          ...{ ...own, cookie, origin: `http://localhost:${String(uiPort())}` },
          ...{ 'x-csrf-token': cookie.split('=')[1] ?? '', 'content-type': 'application/json' },
        },
      });
      // A server whose database is too slow does not find its namespace for a while.
      return answer?.status === 404 ? undefined : answer;
    };
    const answer = await until(act, { what: 'the answer of the server' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('runId');
  });
});

it('the Web UI is back at the same address when the server was killed', async () => {
  const own = { host: `127.0.0.1:${String(uiPort())}` };
  const namespaces = { path: '/api/v1/namespaces', headers: own };
  stack.kill('temporal', 'SIGKILL');
  await until(async () => (await ask(uiPort(), namespaces))?.status === 502, { what: 'the word that it is away' });
  await until(async () => (await ask(uiPort(), namespaces))?.status === 200, { what: 'the Web UI' });
  await until(() => stack.processes().some(({ name }) => name === 'temporal'), { what: 'the new process' });
});

describe.runIf(process.platform === 'linux')('an engine (ports from /proc: Linux)', () => {
  it('has no port that answers what a page can send: browsers refuse it, or it speaks no HTTP, or it says 403 or 404', async () => {
    const ports = await portsOf('temporal');
    // gRPC of four services, the HTTP API, metrics, the Web UI behind the proxy.
    expect(ports.length).toBeGreaterThanOrEqual(6);
    const seen = await Promise.all(
      ports.map(async (port) => {
        const failure = await fetch(`http://127.0.0.1:${String(port)}/`).then(
          () => undefined,
          (error: unknown) =>
            error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined,
        );
        if (failure === 'bad port') return ['no browser connects'];
        const answers = await Promise.all(
          fromPages.map((request) =>
            ask(port, { ...request, headers: { host: `127.0.0.1:${String(port)}`, ...request.headers } }),
          ),
        );
        return answers.map((answer) => answer?.status ?? 'no HTTP');
      }),
    );
    expect(new Set(seen.flat())).toEqual(new Set(['no browser connects', 'no HTTP', 403, 404]));
    expect(seen.filter(([first]) => first === 'no browser connects')).toHaveLength(2);
  });

  it('hands no Nexus task to a worker, since that port does not look at names', async () => {
    const request = fromPages.find(({ what }) => what === 'a Nexus operation');
    const answers = await Promise.all((await portsOf('temporal')).map((port) => ask(port, request ?? {})));
    expect(answers.map((answer) => answer?.text)).toContain('{"message":"nexus endpoints disabled"}');
  });

  it('that is the database listens on no port at all', async () => {
    expect(await portsOf('mongodb')).toEqual([]);
  });

  it.each(['temporal', 'mongodb'])('knows no secret, nor anything but how to run: %s', async (name) => {
    const environ = await readFile(`/proc/${String(pidOf(name))}/environ`, 'utf8');
    for (const secret of allSecrets()) expect(environ).not.toContain(secret);
    const names = environ.split('\0').map((entry) => entry.split('=')[0] ?? '');
    expect(
      names.filter(
        (one) =>
          !/^(PATH|HOME|USER|LOGNAME|SHELL|PWD|T(E?MP|MPDIR|Z)|LANG(UAGE)?|LC_\w+|LD_LIBRARY_PATH|XDG_\w+)?$/.test(one),
      ),
    ).toEqual([]);
  });

  it.each(['api', 'worker'])('gives %s its settings, and no secret of others', async (name) => {
    const environ = await readFile(`/proc/${String(pidOf(name))}/environ`, 'utf8');
    expect(environ).toContain(secrets.WEBHOOK_SECRETS);
    expect(environ).not.toContain(ELSEWHERE.CLOUD_TOKEN);
  });
});

describe('the embedded database', () => {
  it('is found by npm run keys without a setting', async () => {
    const env = { ...process.env, DATA_DIR: dataDir, MONGODB_URI: '' };
    const main = ['operator/keys/main.ts', 'list'];
    const { stdout } = await promisify(execFile)(process.execPath, main, { cwd: ROOT, env });
    expect(stdout.trim()).toBe('There are no keys.');
  });

  it('is back at the same address when it was killed', async () => {
    const client = new MongoClient(stack.mongodbUri, { serverSelectionTimeoutMS: 2_000 });
    try {
      await client.db('test').collection<{ _id: string }>('kept').insertOne({ _id: 'before' });
      stack.kill('mongodb', 'SIGKILL');
      const found = await until(
        () =>
          client
            .db('test')
            .collection('kept')
            .findOne({})
            .catch(() => undefined),
        {
          what: 'the document',
        },
      );
      expect(found).toEqual({ _id: 'before' });
    } finally {
      await client.close();
    }
  });
});

describe(`another user of the machine${CAN_INTRUDE ? '' : ' (SKIPPED: needs root, to start a process as somebody else)'}`, () => {
  const asNobody = async (): Promise<Loot> => {
    const names = await readdir(dataDir, { recursive: true });
    expect(names).toEqual(
      expect.arrayContaining(['link-secret', 'mongodb-uri', 'logs/api.log', 'temporal/temporal.db']),
    );
    return intrude({
      socket: decodeURIComponent(new URL(stack.mongodbUri).host),
      paths: [dataDir, ...names.map((name) => join(dataDir, name))],
      pids: [process.pid, ...stack.processes().map(({ pid }) => pid)],
    });
  };

  it.skipIf(!CAN_INTRUDE)(
    'reaches no database, and reads no file, environment or secret on a command line',
    async () => {
      const loot = await asNobody();
      expect(loot).toMatchObject({ socket: 'EACCES', readable: [], environments: [] });
      expect(loot.uid).not.toBe(process.getuid?.());
      const commandLines = loot.commandLines.join('\n');
      expect(commandLines).toContain('start-dev');
      for (const secret of allSecrets()) expect(commandLines).not.toContain(secret);
    },
  );

  it.skipIf(!CAN_INTRUDE)('reads no more where DATA_DIR was made before, open to all', async () => {
    await chmod(dataDir, 0o755);
    try {
      expect(await asNobody()).toMatchObject({ socket: 'EACCES', readable: [dataDir], environments: [] });
    } finally {
      await chmod(dataDir, 0o700);
    }
  });
});

it('what was started listens no more after the stop, and the address of the database is gone', async () => {
  const port = uiPort();
  await stack.stop();
  expect(await ask(port, {})).toBeUndefined();
  expect(await readdir(dataDir)).not.toContain('mongodb-uri');
});

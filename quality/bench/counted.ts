import { setTimeout as delay } from 'node:timers/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { BSON } from 'mongodb';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startEngines } from '../../local/engines/engines.ts';
import { withoutSettings } from '../../local/stack.ts';
import { grpcInterceptors } from '../../runtime/temporal/temporal-client.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { dial, mongodbServer } from '../fault-proxy.ts';
import { startBeside, type Engine } from './engine.ts';
import { sum, until } from './rounds.ts';
import { withBench, type Bench } from './service.ts';
import { countHeartbeats, countHistories, metricsUrlOf } from './stored.ts';

/** A job is over when the counts have not changed for this long. */
const QUIET_MS = 1_500;
const LOOK_EVERY_MS = 300;
const JOB_TIMEOUT_MS = 120_000;
/** Videos for POST /api/speech, of which no other request fetches anything. */
export const SPOKEN_VIDEOS = 2;

/** The cost of a piece of work; `operations` are counted by command and collection. */
export interface Counts {
  readonly events: number;
  readonly actions: number;
  readonly heartbeats: number;
  readonly operations: Readonly<Record<string, number>>;
}

/** A service whose requests to the engines are counted. */
export interface Counted {
  readonly bench: Bench;
  readonly count: (work: () => Promise<unknown>) => Promise<Counts>;
  /** Sends a request with a key that has credit. @throws when it is refused */
  readonly ask: (path: string, body: object, prefer?: string) => Promise<unknown>;
  /** Requests a job with that key and waits for its webhook. */
  readonly runJob: (path: string, body: object) => Promise<void>;
}

export async function withCounts<Result>(
  { dataDir, engine, say = () => undefined }: { dataDir: string; engine: Engine; say?: (line: string) => void },
  body: (counted: Counted) => Promise<Result>,
): Promise<Result> {
  const given = withoutSettings(process.env, /^$/);
  const log = (): void => undefined;
  const cacheDir = defaultCacheDir(given);
  const beside = await startBeside(engine, { env: given, dataDir, cacheDir, say });
  const env = { ...given, ...beside.env };
  const engines = await startEngines({ env, dataDir, cacheDir, ports: 'free', log }).catch(async (error: unknown) => {
    await beside.stop();
    throw error;
  });
  const counter = await startCommandCounter(mongodbServer(engines.mongodbUri));
  const connection = await Connection.connect({
    address: engines.temporalAddress,
    interceptors: [...grpcInterceptors],
  });
  const receiver = await startWebhookReceiver();
  try {
    const client = new Client({ connection });
    const now = async (): Promise<Counts> => ({
      ...(await countHistories(client)),
      heartbeats: await countHeartbeats(beside.metricsUrl ?? metricsUrlOf(engines.pids().temporal ?? NaN)),
      operations: counter.counts(),
    });
    const quiet = async (): Promise<Counts> => {
      let newest = await now();
      for (let sinceMs = performance.now(); performance.now() - sinceMs < QUIET_MS;) {
        await delay(LOOK_EVERY_MS);
        const next = await now();
        if (JSON.stringify(next) !== JSON.stringify(newest)) sinceMs = performance.now();
        newest = next;
      }
      return newest;
    };
    const serviceEnv = { TEMPORAL_ADDRESS: engines.temporalAddress, MONGODB_URI: counter.uri };
    return await withBench(
      { dataDir, engine: 'embedded', services: ['api', 'worker'], videos: SPOKEN_VIDEOS, env: serviceEnv },
      async (bench) => {
        const authorization = await bench.openAccount();
        const ask = async (path: string, request: object, prefer?: string): Promise<unknown> => {
          const response = await fetch(bench.stack.restUrl + path, {
            method: 'POST',
            headers: { authorization, ...(prefer === undefined ? {} : { prefer }) },
            body: JSON.stringify(request),
          });
          const text = await response.text();
          if (!response.ok) throw new Error(`${path} answered ${String(response.status)}: ${text}`);
          return JSON.parse(text);
        };
        return body({
          ...{ bench, ask },
          async count(work) {
            const before = await quiet();
            await work();
            return difference(await quiet(), before);
          },
          async runJob(path, request) {
            const before = receiver.posts.length;
            await ask(path, { ...request, include_webhook: receiver.url });
            // Each of the two parts of a list has its own webhook.
            const webhooks = path.endsWith('/list') ? 2 : 1;
            const what = `the webhook of ${path}`;
            await until(() => receiver.posts.length >= before + webhooks, {
              timeoutMs: JOB_TIMEOUT_MS,
              what,
              everyMs: 5,
            });
          },
        });
      },
    );
  } finally {
    await receiver.close();
    await connection.close();
    await counter.stop();
    await engines.stop();
    await beside.stop();
  }
}

function difference(after: Counts, before: Counts): Counts {
  const heartbeats = after.heartbeats - before.heartbeats;
  const changed = Object.entries(after.operations).map(
    ([name, value]) => [name, value - (before.operations[name] ?? 0)] as const,
  );
  return {
    events: after.events - before.events,
    actions: after.actions - before.actions + heartbeats,
    heartbeats,
    operations: Object.fromEntries(changed.filter(([, value]) => value > 0)),
  };
}

export const sumOf = (operations: Counts['operations']): number => sum(Object.values(operations));

/** The bytes of a MongoDB message before the first document of an OP_MSG: the header, the flags and the kind. */
const HEADER_BYTES = 16;
const FLAGS_AND_KIND_BYTES = 5;
const OP_MSG = 2013;
/** Commands that drivers send on their own. */
const OF_THE_DRIVER = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'buildInfo', 'endSessions', 'saslStart']);

/** Starts a proxy to a MongoDB server that counts commands by name and collection. */
async function startCommandCounter(target: string) {
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = dial(target);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
    client.on(
      'data',
      messages((name) => counts.set(name, (counts.get(name) ?? 0) + 1)),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    uri: `mongodb://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    counts: (): Readonly<Record<string, number>> => Object.fromEntries(counts),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function messages(onCommand: (name: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      if (rest.readInt32LE(12) === OP_MSG) {
        const body = rest.subarray(HEADER_BYTES + FLAGS_AND_KIND_BYTES);
        const document = body.subarray(0, body.readInt32LE(0));
        const [first] = Object.entries(BSON.deserialize(document));
        if (first !== undefined && !OF_THE_DRIVER.has(first[0])) onCommand(`${first[0]} ${String(first[1])}`);
      }
      rest = rest.subarray(length);
    }
  };
}

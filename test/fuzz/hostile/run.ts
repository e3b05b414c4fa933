import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { createRandom } from '../../../quality/chaos/plan.ts';
import { watchLongest, type Longest } from './longest.ts';
import { hostileRequest, send } from './requests.ts';
import { startHostileServer } from './responses.ts';

const SENDERS = 4;
const turnSchema = z.object({ name: z.string(), atMs: z.number(), ms: z.number() });

export interface HostileOptions {
  readonly serviceUrl: string;
  readonly key: string | undefined;
  readonly seed: number;
  readonly seconds: number;
  readonly folder: string;
  /** Where turn-probe.ts writes. */
  readonly turnsFile: string;
  readonly signal: AbortSignal;
}

/** The longest turn of a process, and what was sent to it about then. */
export interface ProcessTurn extends Longest {
  readonly name: string;
}

/** Sends hostile requests to a service, with and without a key, and hostile answers to our clients, which run in this process. */
export async function fuzzTurns(options: HostileOptions) {
  const { serviceUrl, key, seed, seconds, folder, signal } = options;
  const startedMs = Date.now();
  const isOver = (): boolean => signal.aborted || Date.now() > startedMs + seconds * 1000;
  const port = Number(new URL(serviceUrl).port);
  const sent: { readonly label: string; readonly fromMs: number; readonly toMs: number }[] = [];
  let requests = 0;
  const sender = async (number: number): Promise<void> => {
    const random = createRandom(seed * 100 + number);
    while (!isOver()) {
      const request = hostileRequest(random, random.next() < 0.5 ? key : undefined);
      const fromMs = Date.now();
      const status = await send(port, request);
      requests += 1;
      const toMs = Date.now();
      // What took a long turn was on its way for as long, and was not left for its silence.
      if (toMs - fromMs > 20 && status !== undefined) sent.push({ label: request.label, fromMs, toMs });
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, (_, number) => sender(number)));
  const clients = await fuzzClients({ seed, seconds: Math.ceil(seconds / 10), folder, signal });
  const turns = (await readFile(options.turnsFile, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => turnSchema.parse(JSON.parse(line)))
    .filter(({ atMs }) => atMs >= startedMs);
  const longestOf = (name: string): ProcessTurn => {
    const of = turns.filter((turn) => turn.name === name);
    const worst = of.reduce((a, b) => (b.ms > a.ms ? b : a), { atMs: 0, ms: 0 });
    const during = sent.filter(({ fromMs, toMs }) => toMs > worst.atMs - 1_000 && fromMs < worst.atMs);
    const [longest] = during.sort((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs));
    return { name, ms: worst.ms, label: longest?.label ?? 'no request' };
  };
  const answers = { name: 'clients of other servers', ...clients.longest };
  return { requests, answers: clients.count, turns: [longestOf('api'), longestOf('worker'), answers] };
}

async function fuzzClients({
  seed,
  seconds,
  folder,
  signal,
}: Pick<HostileOptions, 'seed' | 'seconds' | 'folder' | 'signal'>) {
  const server = await startHostileServer(folder);
  const random = createRandom(seed);
  const watched = watchLongest();
  const endMs = Date.now() + seconds * 1000;
  let count = 0;
  while (!signal.aborted && Date.now() < endMs) {
    const client = random.pick(server.clients);
    await watched.during(`${client}: ${server.prepare(random)}`, () => server.call(client));
    count += 1;
  }
  await server.close();
  return { count, longest: watched.longest() };
}

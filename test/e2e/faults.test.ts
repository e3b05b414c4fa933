import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeliveryStore } from '../../store/deliveries.ts';
import { audit } from '../helpers/fault-audit.ts';
import { LINKS, openFaultBench, type FaultBench, type Link } from '../helpers/fault-bench.ts';
import { FaultLoad } from '../helpers/fault-load.ts';
import { makeOrders } from '../helpers/fault-orders.ts';
import { FAULTS, type FaultName } from '../helpers/faulty-line.ts';
import { until } from '../helpers/until.ts';

/** What each run tries; `FAULTS=all` tries everything on every line, and prints the table of docs/reliability.md. */
const SOME: readonly (readonly [Link, FaultName])[] = [
  ['temporal', 'blackhole'],
  ['temporal', 'reset_peer'],
  ['mongodb', 'blackhole'],
  ['mongodb', 'latency'],
  ['platform', 'limit_data'],
  ['platform', 'slicer'],
  ['receiver', 'unanswered'],
  ['files', 'blackhole'],
  ['files', 'down'],
];
const ALL = LINKS.flatMap((link) => (Object.keys(FAULTS) as FaultName[]).map((fault) => [link, fault] as const));
const isAll = process.env['FAULTS'] === 'all';
const FAULT_MS = Number(process.env['FAULT_SECONDS'] ?? 6) * 1000;
const RECOVERY_MS = 30_000;
/** 15 s, and what a busy machine adds. */
const MAX_ANSWER_MS = 25_000;

let bench: FaultBench;
let load: FaultLoad;
let before: unknown;
const pids = () => bench.service.stack.processes();
const rounds: { link: Link; fault: FaultName; ids: string[]; refused: number; slowestMs: number; backMs: number }[] =
  [];
beforeAll(async () => {
  bench = await openFaultBench();
  load = new FaultLoad(bench, await makeOrders(bench.service, `http://${bench.lines.platform.address}`));
  await load.begin();
  before = pids();
}, 900_000);
afterAll(async () => {
  await bench.close();
  if (isAll) console.log(rounds.map(rowOf).join('\n'));
});

describe('a service on a spoilt line', () => {
  it.each(isAll ? ALL : SOME)(
    '%s: %s',
    async (link, fault) => {
      const [answersBefore, idsBefore] = [load.answers.length, load.accepted.size];
      // One is under way when it begins.
      await load.order();
      await bench.lines[link].spoil(fault);
      const [pending] = await load.goOn(FAULT_MS);
      await bench.lines[link].mend();
      const mendedMs = performance.now();
      await load.untilAsBefore(RECOVERY_MS);
      const backMs = performance.now() - mendedMs;
      await pending;
      await load.orderRefusedAgain();
      const seen = load.answers.slice(answersBefore);
      const refused = seen.filter(({ status }) => status === 503);
      const slowestMs = Math.max(...seen.map(({ tookMs }) => tookMs));
      rounds.push({
        ...{ link, fault, refused: refused.length, slowestMs, backMs },
        ids: [...load.accepted.keys()].slice(idsBefore),
      });
      expect(seen.filter(({ status }) => ![200, 202, 409, 503].includes(status))).toEqual([]);
      for (const { request, body, retryAfter } of refused) {
        // Probes tell the parts and no code.
        if (request !== 'GET /ready') expect(body).toMatchObject({ code: 'unavailable', error: expect.any(String) });
        expect(Number(retryAfter)).toBeGreaterThan(0);
      }
      expect(slowestMs).toBeLessThan(MAX_ANSWER_MS);
      expect(pids()).toEqual(before);
    },
    FAULT_MS + 120_000,
  );
});

it('has lost, doubled and left behind nothing afterwards', async () => {
  await load.orderRefusedAgain();
  const ids = [...load.accepted.keys()];
  const deliveries = createDeliveryStore(bench.mongo.db);
  await until(
    async () => {
      const known = await Promise.all(ids.map((id) => deliveries.ofRecord(id)));
      return known.every((those) => those.length > 0 && those.every(({ state }) => state !== 'pending'));
    },
    { within: 200_000, what: 'the end of all jobs and webhooks' },
  ).catch((error: unknown) => console.log(error));
  const found = await audit(bench, ids);
  for (const round of rounds) console.log(rowOf(round));
  expect(found).toEqual({
    ...{ lost: [], twice: [], wrongFiles: [], wrongCharges: [], wrongWebhooks: [], leftBehind: [] },
  });
  expect(load.servedContents).toBeLessThanOrEqual(1);
}, 300_000);

function rowOf({ link, fault, ids, refused, slowestMs, backMs }: (typeof rounds)[number]): string {
  const cells = [link, fault, ids.length, refused, (slowestMs / 1000).toFixed(1), (backMs / 1000).toFixed(1)];
  return `| ${cells.join(' | ')} |`;
}

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFaultBench, LINKS, type FaultBench, type Link } from '../helpers/fault-bench.ts';
import { FaultLoad } from '../helpers/fault-load.ts';
import { makeOrders } from '../helpers/fault-orders.ts';
import { FAULTS, type FaultName } from '../helpers/faulty-line.ts';

const SECONDS = Number(process.env['FAULT_SECONDS'] ?? 6);
const ONLY = process.env['FAULT_ONLY'];
let bench: FaultBench;
let load: FaultLoad;
beforeAll(async () => {
  bench = await openFaultBench();
  load = new FaultLoad(bench, await makeOrders(bench.service, `http://${bench.lines.platform.address}`));
}, 600_000);
afterAll(() => bench.close());

const rounds = LINKS.flatMap((link) => (Object.keys(FAULTS) as FaultName[]).map((fault) => ({ link, fault }))).filter(
  ({ link, fault }) => ONLY === undefined || new RegExp(ONLY).test(`${link}/${fault}`),
);
it.each(rounds)(
  '$link $fault',
  async ({ link, fault }: { link: Link; fault: FaultName }) => {
    const from = load.answers.length;
    await load.order();
    const line = bench.lines[link];
    await line.spoil(fault);
    const [pending] = await load.goOn(SECONDS * 1000);
    await line.mend();
    const mendedMs = performance.now();
    let trouble = '';
    await load.untilAsBefore(60_000).catch((e: unknown) => (trouble = String(e)));
    const recoveredS = (performance.now() - mendedMs) / 1000;
    await pending;
    const seen = load.answers.slice(from);
    const by: Record<string, number> = {};
    for (const { status } of seen) by[status] = (by[status] ?? 0) + 1;
    console.log(
      `${link} ${fault}: ${JSON.stringify(by)} slowest ${Math.max(...seen.map((s) => s.tookMs))} ms, recovered ${recoveredS.toFixed(1)} s ${trouble}`,
      seen
        .filter((s) => s.status === 500 || s.status === 0 || s.tookMs > 12_000)
        .slice(0, 4)
        .map((s) => JSON.stringify(s).slice(0, 300)),
    );
    await load.orderRefusedAgain();
    expect(trouble).toBe('');
  },
  300_000,
);

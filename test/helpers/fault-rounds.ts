import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, type Fault } from '../../quality/fault-proxy.ts';
import { createDeliveryStore } from '../../store/records/delivery-store.ts';
import { audit } from './fault-audit.ts';
import { LINKS, openFaultBench, type FaultBench, type Link, makeOrders } from './fault-bench.ts';
import { FaultLoad } from './fault-load.ts';
import { until } from './until.ts';

/** What is done to which line. */
export type SpoiltLine = readonly [Link, Fault];
export const ALL_SPOILT_LINES: readonly SpoiltLine[] = LINKS.flatMap((link) =>
  FAULTS.map((fault) => [link, fault] as const),
);

/** 30 s, and what a busy machine adds. */
const RECOVERY_MS = 60_000;
/** 15 s, and what a busy machine adds. */
const MAX_ANSWER_MS = 25_000;

interface Round {
  readonly link: Link;
  readonly fault: Fault;
  readonly ids: readonly string[];
  readonly refused: number;
  readonly slowestMs: number;
  readonly backMs: number;
}

/** One after the other on one service, and then a look at everything that is left. @param options.table printed at the end */
export function describeFaults(
  lines: readonly SpoiltLine[],
  { faultMs, table }: { readonly faultMs: number; readonly table: boolean },
): void {
  let bench: FaultBench;
  let load: FaultLoad;
  let before: unknown;
  const pids = () => bench.service.stack.processes();
  const rounds: Round[] = [];
  beforeAll(async () => {
    bench = await openFaultBench();
    load = new FaultLoad(bench, await makeOrders(bench.service, `http://${bench.lines.platform.address}`));
    await load.begin();
    before = pids();
  }, 900_000);
  afterAll(async () => {
    await bench.close();
  });

  describe('a service on a spoilt line', () => {
    it.each(lines)(
      '%s: %s',
      async (link, fault) => {
        const [answersBefore, idsBefore] = [load.answers.length, load.accepted.size];
        // One is under way when it begins.
        await load.order();
        bench.lines[link].spoil(fault);
        const [pending] = await load.goOn(faultMs);
        bench.lines[link].mend();
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
      faultMs + 120_000,
    );
  });

  it('has lost, doubled and left behind nothing afterwards', async () => {
    await load.orderRefusedAgain();
    const ids = [...load.accepted.keys()];
    const store = createDeliveryStore(bench.mongo.db);
    await until(
      async () => {
        const all = await store.list({ limit: 1_000 });
        const ended = new Set(all.filter(({ state }) => state !== 'pending').map(({ recordId }) => recordId));
        return ids.every((id) => ended.has(id));
      },
      // The audit reports what is still missing.
      { within: 150_000 },
    ).catch(() => undefined);
    const { uncertain, ...found } = await audit(bench, ids);
    if (table) console.log(rounds.map((round) => rowOf(round, { lost: found.lost, uncertain })).join('\n'));
    expect(found).toEqual({
      ...{ lost: [], twice: [], wrongFiles: [], wrongCharges: [], wrongWebhooks: [], leftBehind: [] },
    });
    // Only answers of the platform that vanished leave that open.
    const ofPlatform = rounds.flatMap((round) => (round.link === 'platform' ? round.ids : []));
    expect(uncertain.filter((id) => !ofPlatform.includes(id))).toEqual([]);
    // Each round has it served after its end at least.
    expect(load.servedContents).toBe(1);
  }, 900_000);
}

type Ended = Readonly<Record<'lost' | 'uncertain', readonly string[]>>;
function rowOf({ link, fault, ids, ...round }: Round, { lost, uncertain }: Ended): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1);
  const those = (all: readonly string[]) => ids.filter((id) => all.some((entry) => entry.startsWith(id))).length;
  const { refused, slowestMs, backMs } = round;
  const cells = [ids.length, those(lost), those(uncertain), refused, seconds(slowestMs), seconds(backMs)];
  return `| ${[link, fault, ...cells].join(' | ')} |`;
}

import { join } from 'node:path';
import { ulid } from 'ulid';
import { attack, HOSTILE_KINDS, pageJob, type HostileKind } from '../../hostile/kinds.ts';
import { openSites } from '../../hostile/media.ts';
import { misbehave } from '../../chaos/sandbox-index.ts';
import type { Finding, Part } from '../part.ts';
import { measureCaller, type Measured } from '../ordinary-caller.ts';
import { inTurn, median, until } from '../rounds.ts';
import { withBench } from '../service.ts';

const WARM_UP = 5;
const RATES = { jobsAtOnce: 8, streams: 1_000, followedJobs: 500, requestsPerSecond: 100 };
const PICTURES = 100_000;
const IDLE_TIMEOUT_MS = 300_000;
const CONTESTANTS = ['alone', ...HOSTILE_KINDS] as const;
const MEASURES = { job: 'small job', event: 'event of its end', live: '/live' } as const;
type Measure = keyof typeof MEASURES;
const MEASURE_NAMES = Object.keys(MEASURES) as Measure[];

type Rounds = Readonly<Record<(typeof CONTESTANTS)[number], readonly (readonly Measured[])[]>>;

/** Measures jobs, events and `/live` of an ordinary caller, alone and during each kind of attack. */
export const hostile: Part = {
  title: 'Beside a hostile caller',
  run: async ({ dataDir, engine, say, rounds, callerJobs }) => {
    // The sites are on loopback, and each has a host of its own.
    const env = { MEDIA_ALLOWED_NETWORKS: '127.0.0.0/8', ALLOW_ANONYMOUS: 'false' };
    return withBench({ dataDir, engine, say, services: ['api', 'worker'], env }, async (bench) => {
      const sites = await openSites(bench.tools.ffmpeg, join(dataDir, 'media'), PICTURES);
      try {
        // Jobs of the video platform never end, so that streams can follow them.
        await misbehave(bench.sandbox, { video: '*', target: 'page', mode: 'hang' });
        const records = bench.db.collection<{ _id: string; status: string; finishedAt: string }>('records');
        const { restUrl } = bench.stack;
        const [authorization, hostileAuthorization] = [await bench.openAccount(), await bench.openAccount()];
        const measure = async (jobs = callerJobs): Promise<Measured[]> => {
          const measured: Measured[] = [];
          for (let job = 0; job < jobs; job += 1) {
            const request = await pageJob(sites, 'small');
            measured.push(await measureCaller({ restUrl, authorization, records }, request));
          }
          return measured;
        };
        const isIdle = async (): Promise<boolean> => (await records.countDocuments({ status: 'pending' })) === 0;
        const answers: Partial<Record<HostileKind, unknown[]>> = {};
        const beside = async (kind: HostileKind): Promise<Measured[]> => {
          const running = attack(kind, {
            ...{ restUrl, authorization: hostileAuthorization, sites, rates: RATES },
            lastingJob: () =>
              Promise.resolve({ path: '/api/downloads/audio', body: { vidnet_video_id: ulid().slice(-11) } }),
          });
          try {
            await running.started;
            return await measure();
          } finally {
            await running.stopWithJobs();
            const what = 'the end of the jobs of a hostile caller';
            await until(isIdle, { timeoutMs: IDLE_TIMEOUT_MS, what, everyMs: 500 });
            (answers[kind] ??= []).push(running.answers);
          }
        };
        // The first jobs take longer.
        await measure(WARM_UP);
        const reported = async (name: string, measured: Promise<Measured[]>): Promise<Measured[]> => {
          const jobs = await measured;
          const numbers = jobs.map((one) => MEASURE_NAMES.map((of) => one[of]?.toFixed(1) ?? 'none').join('/'));
          say(`${name}, ms of ${MEASURE_NAMES.join('/')}: ${numbers.join(', ')}`);
          return jobs;
        };
        const all = await inTurn(
          rounds,
          Object.fromEntries(
            CONTESTANTS.map((name) => [name, () => reported(name, name === 'alone' ? measure() : beside(name))]),
          ) as Record<(typeof CONTESTANTS)[number], () => Promise<Measured[]>>,
        );
        return { findings: hostileFindings(all), raw: { rounds: all, answers, rates: RATES } };
      } finally {
        await sites.stop();
      }
    });
  },
};

/** Compares each measure during each kind of attack with the same measure alone. The page shows the worst kind. */
export function hostileFindings(rounds: Rounds): Finding[] {
  const valueOf = (name: keyof Rounds, measure: Measure): number =>
    median(rounds[name].flat().flatMap((one) => one[measure] ?? []));
  const findings = MEASURE_NAMES.flatMap((measure) => {
    const alone = valueOf('alone', measure);
    const values = HOSTILE_KINDS.map((kind) => ({ kind, value: valueOf(kind, measure) }));
    const worst = Math.max(...values.map(({ value }) => value).filter((value) => !Number.isNaN(value)));
    return values
      .filter(({ value }) => !Number.isNaN(value))
      .map(({ kind, value }): Finding => ({
        what: `${MEASURES[measure]} beside ${kind}`,
        unit: 'ms',
        value,
        isChief: value === worst,
        reference: { what: 'alone', value: alone },
      }));
  });
  const unended = HOSTILE_KINDS.flatMap((kind) => rounds[kind].flat()).filter(({ event }) => event === undefined);
  return [
    ...findings,
    { what: 'jobs beside a hostile caller without an end', unit: 'jobs', value: unended.length, isChief: true },
  ];
}

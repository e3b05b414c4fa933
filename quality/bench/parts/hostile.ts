import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { ulid } from 'ulid';
import { attack, HOSTILE_KINDS, pageJob, type HostileKind } from '../../hostile/kinds.ts';
import { hugePictures, smallRecording } from '../../hostile/media.ts';
import { createSites } from '../../hostile/sites.ts';
import { openAccount, DATABASE, withBench, type Bench } from '../service.ts';
import type { Finding, Part } from '../part.ts';
import { measureCaller, type Measured } from '../ordinary-caller.ts';
import { inTurn, median } from '../rounds.ts';

const WARM_UP = 5;
const RATES = { jobsAtOnce: 8, streams: 1_000, followedJobs: 500, requestsPerSecond: 100 };
const PICTURES = 100_000;
const IDLE_TIMEOUT_MS = 300_000;
const LOOK_MS = 500;
const CONTESTANTS = ['alone', ...HOSTILE_KINDS] as const;
const MEASURES = { job: 'small job', event: 'event of its end', live: '/live' } as const;
type Measure = keyof typeof MEASURES;
const MEASURE_NAMES = Object.keys(MEASURES) as Measure[];

type Rounds = Readonly<Record<(typeof CONTESTANTS)[number], readonly (readonly Measured[])[]>>;

/** What an ordinary caller notices of a hostile one: jobs, events and `/live` beside each kind of attack, and alone. */
export const hostile: Part = {
  title: 'Beside a hostile caller',
  run: async ({ dataDir, engine, say, rounds, callerJobs }) => {
    // The sites are on loopback, and each has a host of its own.
    const env = { MEDIA_ALLOWED_NETWORKS: '127.0.0.0/8', ALLOW_ANONYMOUS: 'false' };
    return withBench({ dataDir, engine, say, roles: ['api', 'worker'], env }, async (bench) => {
      const folder = join(dataDir, 'media');
      await mkdir(folder);
      const { ffmpeg } = bench.tools;
      const media = {
        small: await smallRecording(ffmpeg, folder),
        pictures: await hugePictures(ffmpeg, folder, PICTURES),
      };
      const sites = createSites(media);
      const mongo = await MongoClient.connect(bench.stack.mongodbUri);
      try {
        await holdVideos(bench);
        const records = mongo.db(DATABASE).collection<{ _id: string; status: string; finishedAt: string }>('records');
        const { restUrl, mongodbUri } = bench.stack;
        const [authorization, authorizationOfHostile] = [await openAccount(mongodbUri), await openAccount(mongodbUri)];
        const measure = async (jobs = callerJobs): Promise<Measured[]> => {
          const measured: Measured[] = [];
          for (let job = 0; job < jobs; job += 1) {
            const request = await pageJob(sites, 'small');
            measured.push(await measureCaller({ restUrl, authorization, records }, request));
          }
          return measured;
        };
        const whenIdle = async (): Promise<void> => {
          const lastMs = performance.now() + IDLE_TIMEOUT_MS;
          while ((await records.countDocuments({ status: 'pending' })) > 0) {
            if (performance.now() > lastMs) throw new Error('the jobs of a hostile caller did not end');
            await delay(LOOK_MS);
          }
        };
        const answers: Partial<Record<HostileKind, unknown[]>> = {};
        const beside = async (kind: HostileKind): Promise<Measured[]> => {
          const running = attack(kind, {
            ...{ restUrl, authorization: authorizationOfHostile, sites, rates: RATES },
            lastingJob: () =>
              Promise.resolve({ path: '/api/downloads/audio', body: { vidnet_video_id: ulid().slice(-11) } }),
          });
          try {
            await running.inPlace;
            return await measure();
          } finally {
            await running.stopWithJobs();
            await whenIdle();
            (answers[kind] ??= []).push(running.answers);
          }
        };
        // The first ones take longer.
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
        await mongo.close();
        await sites.stop();
      }
    });
  },
};

/** Jobs of the video platform last, so that streams can follow them: its pages never come. */
async function holdVideos({ sandbox }: Bench): Promise<void> {
  const switched = { video: '*', target: 'page', mode: 'hang' };
  const answer = await fetch(`${sandbox.url}/misbehave`, { method: 'POST', body: JSON.stringify(switched) });
  if (!answer.ok) throw new Error(`the sandbox answered ${String(answer.status)}: ${await answer.text()}`);
}

/** Each measure beside each kind, against the same one alone. On the page is the kind that does the most harm. */
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

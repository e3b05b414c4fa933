import { cpus } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { ulid } from 'ulid';
import { startEndings } from '../endings.ts';
import type { Finding, Part, PartOptions } from '../part.ts';
import { differenceOf, processorTimeOf, type ProcessorTime } from '../processor-time.ts';
import { atOnce, timed } from '../rounds.ts';
import { DATABASE, withBench, type Bench } from '../service.ts';
import { writeStandIns } from '../stand-ins.ts';
import { bytesBelow, collectionsOf, historiesOf, recordBytesOf, type Collection, type Histories } from '../stored.ts';
import { withWorkers } from '../worker-processes.ts';

const NUMBERS = [1, 2, 4];
/** Open jobs for each slot, so that no slot waits for a caller. */
const OPEN_PER_SLOT = 2;
const WARM_UP_PER_SLOT = 1;
const TELLS = 10;
const KIB = 1024;

export interface ScaleRun {
  readonly workers: number;
  readonly jobs: number;
  readonly failed: number;
  readonly jobsPerMinute: number;
  /** Of the whole machine, by which it shows whether jobs waited for the processor. */
  readonly coresInUse: number;
  readonly processorSeconds: ProcessorTime;
}

export interface ScaleRaw {
  /** Slots for jobs in each worker. */
  readonly places: number;
  readonly fetchSeconds: number;
  readonly runs: readonly ScaleRun[];
  readonly histories: Histories;
  readonly collections: Readonly<Record<string, Collection>>;
  readonly jobs: number;
  /** By which the files of Temporal's database have grown. */
  readonly temporalBytes: number;
}

/** Many jobs, each with a webhook, through more and more workers, with a stand-in for the fetching step. */
export const scale: Part = {
  title: 'Many jobs through 1, 2 and 4 workers',
  run: async ({ dataDir, engine, say, scaleJobs, slots, fetchSeconds }) => {
    const standIns = await writeStandIns(join(dataDir, 'stand-ins'), fetchSeconds);
    const most = String(slots * Math.max(...NUMBERS));
    // The stack sets up speech for workers of its own only.
    const env = { ...standIns, SPEECH_ENGINE: 'auto', VIDNET_MAX_JOBS: most, MAX_FETCHES: String(slots) };
    return withBench({ dataDir, engine, say, roles: ['api'], env }, async (bench) => {
      const bytesBefore = await bytesBelow(bench.temporalData);
      const runs: ScaleRun[] = [];
      const ofAll = sumOf(NUMBERS);
      for (const workers of NUMBERS) {
        // Each run takes as long as the others, as long as more workers do as much more.
        const jobs = Math.round((scaleJobs * workers) / ofAll);
        runs.push(await run(bench, { workers, dataDir, slots, jobs, say }));
      }
      const warmUp = ofAll * slots * WARM_UP_PER_SLOT;
      const raw: ScaleRaw = {
        ...{ places: slots, fetchSeconds, runs, jobs: warmUp + sumOf(runs.map(({ jobs }) => jobs)) },
        ...(await storedBy(bench)),
        temporalBytes: (await bytesBelow(bench.temporalData)) - bytesBefore,
      };
      return { findings: findingsOf(raw), raw };
    });
  },
};

interface RunOptions extends Pick<PartOptions, 'dataDir' | 'slots' | 'say'> {
  readonly workers: number;
  readonly jobs: number;
}

async function run(bench: Bench, { workers, dataDir, slots, jobs, say }: RunOptions): Promise<ScaleRun> {
  const endings = await startEndings();
  const open = workers * slots * OPEN_PER_SLOT;
  const runJobs = async (number: number, tell: (done: number) => void): Promise<number> => {
    let [done, failed] = [0, 0];
    await atOnce(Array.from({ length: number }), open, async () => {
      const { id } = await bench.requestAudio(ulid().slice(-11), endings.url);
      if (!(await endings.of(id))) failed += 1;
      done += 1;
      tell(done);
    });
    return failed;
  };
  try {
    return await withWorkers({ bench, number: workers, dataDir }, async (pids) => {
      await runJobs(workers * slots * WARM_UP_PER_SLOT, () => undefined);
      const spent = (): ProcessorTime =>
        processorTimeOf([...bench.processes(), ...pids().map((pid) => ({ name: 'worker', pid }))]);
      const [spentBefore, busyBefore, begunMs] = [spent(), busySeconds(), performance.now()];
      const every = Math.max(1, Math.floor(jobs / TELLS));
      const perMinute = (done: number): number => (60_000 * done) / (performance.now() - begunMs);
      let failed = 0;
      const tookMs = await timed(async () => {
        failed = await runJobs(jobs, (done) => {
          if (done % every === 0) {
            say(`${manned({ workers })}: ${String(done)} jobs, ${perMinute(done).toFixed(0)} a minute`);
          }
        });
      });
      return {
        ...{ workers, jobs, failed },
        jobsPerMinute: (60_000 * jobs) / tookMs,
        coresInUse: (1_000 * (busySeconds() - busyBefore)) / tookMs,
        processorSeconds: differenceOf(spent(), spentBefore),
      };
    });
  } finally {
    await endings.stop();
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const manned = ({ workers }: Pick<ScaleRun, 'workers'>): string =>
  `${String(workers)} worker${workers === 1 ? '' : 's'}`;

function busySeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000;
}

async function storedBy({ stack }: Bench): Promise<Pick<ScaleRaw, 'histories' | 'collections'>> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const mongo = await MongoClient.connect(stack.mongodbUri);
  try {
    const histories = await historiesOf(new Client({ connection }));
    return { histories, collections: await collectionsOf(mongo.db(DATABASE)) };
  } finally {
    await mongo.close();
    await connection.close();
  }
}

function findingsOf(raw: ScaleRaw): Finding[] {
  const { runs, jobs, histories, temporalBytes } = raw;
  const [first, ...others] = runs;
  const rates = others.map((one): Finding => {
    const what = `${String(one.jobs)} jobs, ${manned(one)}`;
    const reference = { what: '1 worker', value: first?.jobsPerMinute ?? NaN };
    return { what, unit: '1/min', value: one.jobsPerMinute, isChief: true, reference };
  });
  const costs = runs.flatMap((one): Finding[] => {
    const names = Object.entries(one.processorSeconds);
    const all = sumOf(names.map(([, seconds]) => seconds));
    return [
      { what: `${manned(one)}: cores in use`, unit: '', value: one.coresInUse },
      { what: `${manned(one)}: processor time of a job`, unit: 's', value: all / one.jobs },
      // Of the stand-ins that is what starting them takes.
      ...names.map(([name, seconds]) => ({
        what: `of that ${name === 'ffmpeg and ffprobe' ? 'stand-ins' : name}`,
        unit: 's',
        value: seconds / one.jobs,
      })),
    ];
  });
  const failed = sumOf(runs.map((one) => one.failed));
  return [
    ...rates,
    { what: 'jobs that failed', unit: '', value: failed, isChief: true },
    ...costs,
    { what: 'history of a job', unit: 'events', value: histories.events / jobs },
    { what: 'history of a job', unit: 'KiB', value: histories.bytes / jobs / KIB },
    {
      what: 'actions of a job, without heartbeats',
      unit: '',
      value: (histories.actionsEach * histories.workflows) / jobs,
    },
    { what: "files of Temporal's database for a job", unit: 'KiB', value: temporalBytes / jobs / KIB },
    { what: 'records of a job', unit: 'KiB', value: recordBytesOf(raw) / KIB },
  ];
}

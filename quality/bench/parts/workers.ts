import { join } from 'node:path';
import { ulid } from 'ulid';
import type { Part } from '../part.ts';
import { inTurn, timed } from '../rounds.ts';
import { withBench, type Bench } from '../service.ts';
import { writeStandIns } from '../stand-ins.ts';
import { median } from '../statistics.ts';
import { withWorkers } from '../worker-processes.ts';

const NUMBERS = [1, 2, 4];
/** Long enough that four workers are not held up by two cores. */
const FETCH_SECONDS = 4;

/** What more workers give where each job mostly waits for others. */
export const workers: Part = {
  title: 'Jobs a minute by the number of workers',
  run: async ({ dataDir, engine, say, rounds, jobs: size, jobsAtOnce }) => {
    const standIns = await writeStandIns(join(dataDir, 'stand-ins'), FETCH_SECONDS);
    const places = String(jobsAtOnce * Math.max(...NUMBERS));
    // The stack sets up speech for workers of its own only.
    const env = { ...standIns, SPEECH_ENGINE: 'auto', VIDNET_MAX_JOBS: places, MAX_FETCHES: String(jobsAtOnce) };
    return withBench({ dataDir, engine, say, roles: ['api'], env }, async (bench) => {
      const run = (number: number) => async (): Promise<number> => {
        const jobs = size * number;
        const tookMs = await withWorkers({ bench, number, dataDir }, async () => {
          await runJobs(bench, number);
          return timed(() => runJobs(bench, jobs));
        });
        return (60_000 * jobs) / tookMs;
      };
      const raw = await inTurn(rounds, Object.fromEntries(NUMBERS.map((number) => [String(number), run(number)])));
      const rateOf = (number: number): number => median(raw[String(number)] ?? []);
      const findings = NUMBERS.slice(1).map((number) => ({
        what: `${String(number)} workers`,
        unit: '1/min',
        isChief: true,
        value: rateOf(number),
        reference: { what: '1 worker', value: rateOf(1) },
      }));
      return { findings, raw: { fetchSeconds: FETCH_SECONDS, size, jobsAtOnce, jobsPerMinute: raw } };
    });
  },
};

async function runJobs(bench: Bench, jobs: number): Promise<void> {
  const videoIds = Array.from({ length: jobs }, () => ulid().slice(-11));
  const accepted = await Promise.all(videoIds.map((id) => bench.requestAudio(id)));
  for (const { id } of accepted) await bench.ended(id);
}

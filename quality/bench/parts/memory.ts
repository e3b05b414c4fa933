import { join } from 'node:path';
import { ulid } from 'ulid';
import { startEndings } from '../endings.ts';
import type { Part } from '../part.ts';
import { residentMib } from '../processor-time.ts';
import { atOnce, median } from '../rounds.ts';
import { withBench } from '../service.ts';
import { writeStandIns } from '../stand-ins.ts';

const SAMPLES = 100;
/** The reference is the memory after a tenth of the jobs, when everything is loaded. */
const WARM_SHARE = 0.1;
const SLOTS = 16;

/** Measures whether the memory of api and worker grows with the number of jobs. Each job has a webhook and a paying key. */
export const memory: Part = {
  title: 'Memory over many jobs',
  run: async ({ dataDir, engine, memoryJobs, say }) => {
    const standIns = await writeStandIns(join(dataDir, 'stand-ins'), 0);
    const env = { ...standIns, VIDNET_MAX_JOBS: String(SLOTS), MAX_FETCHES: String(SLOTS) };
    const endings = await startEndings();
    return withBench({ dataDir, engine, say, services: ['api', 'worker'], env }, async (bench) => {
      const authorization = await bench.openAccount();
      const samples: { readonly jobs: number; readonly mib: Readonly<Record<string, number>> }[] = [];
      const every = Math.max(1, Math.floor(memoryJobs / SAMPLES));
      let done = 0;
      await atOnce(Array.from({ length: memoryJobs }), 2 * SLOTS, async () => {
        const { id } = await bench.requestAudio(ulid().slice(-11), endings.url, authorization);
        if (!(await endings.of(id))) throw new Error(`job ${id} failed`);
        done += 1;
        if (done % every !== 0) return;
        const mib = Object.fromEntries(bench.stack.processes().map(({ name, pid }) => [name, residentMib(pid)]));
        samples.push({ jobs: done, mib });
        if (samples.length % 10 === 0) say(`${String(done)} jobs: ${JSON.stringify(mib)}`);
      });
      const around = (share: number, name: string): number => {
        const middle = Math.round(share * samples.length);
        return median(samples.slice(Math.max(0, middle - 5), middle + 5).map(({ mib }) => mib[name] ?? NaN));
      };
      const findings = ['api', 'worker'].map((name) => ({
        what: `${name} after ${String(memoryJobs)} jobs`,
        unit: 'MiB',
        isChief: true,
        value: around(1, name),
        reference: { what: `after ${String(memoryJobs * WARM_SHARE)}`, value: around(WARM_SHARE, name) },
      }));
      return { findings, raw: samples };
    }).finally(endings.stop);
  },
};

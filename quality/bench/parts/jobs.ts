import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startMetube, ytdlpForEach, ytdlpForLists, type Contestant } from '../contestants.ts';
import type { Finding, Part } from '../part.ts';
import { differenceOf, processorTimeOf, secondsOf, type ProcessorTime } from '../processor-time.ts';
import { inTurn, timed, median } from '../rounds.ts';
import { withBench } from '../service.ts';
import { commitOf } from '../results.ts';

const LISTS = 'yt-dlp -a LIST';

/** Short audio, queued all at once, against what else can fetch it. */
export const jobs: Part = {
  title: 'Jobs a minute, and what they cost',
  run: ({ dataDir, engine, say, rounds, jobs: size, jobsAtOnce, metube }) => {
    const slots = String(jobsAtOnce);
    const env = { VIDNET_MAX_JOBS: slots, MAX_FETCHES: slots };
    const videos = size * (rounds + 1);
    return withBench({ dataDir, engine, say, services: ['api', 'worker'], videos, env }, async (bench) => {
      const idsOf = (round: number): readonly string[] => bench.ids.slice(round * size, (round + 1) * size);
      const costs: ProcessorTime[] = [];
      const costsOfLists: number[] = [];
      const ours = async (round: number): Promise<number> => {
        const before = processorTimeOf(bench.processes());
        const tookMs = await timed(async () => {
          const accepted = await Promise.all(idsOf(round).map((id) => bench.requestAudio(id)));
          for (const { id } of accepted) await bench.ended(id);
        });
        costs.push(differenceOf(processorTimeOf(bench.processes()), before));
        return tookMs;
      };
      const theirs =
        (contestant: Contestant) =>
        async (round: number): Promise<number> => {
          const folder = await mkdtemp(join(dataDir, 'contestant-'));
          const tookMs = await timed(() => contestant({ ids: idsOf(round), jobsAtOnce, folder }));
          await rm(folder, { recursive: true, force: true });
          return tookMs;
        };
      const lists = theirs(ytdlpForLists(bench));
      const other = metube === undefined ? undefined : await startMetube(bench, metube, { dataDir, jobsAtOnce });
      try {
        // The first run takes longer.
        await ours(rounds);
        costs.length = 0;
        const took = await inTurn<string, number>(rounds, {
          Tapedeck: ours,
          'yt-dlp for each video': theirs(ytdlpForEach(bench)),
          ...(other === undefined ? {} : { MeTube: theirs(other.contestant) }),
          [LISTS]: async (round) => {
            const before = secondsOf(process.pid).children;
            const tookMs = await lists(round);
            costsOfLists.push(secondsOf(process.pid).children - before);
            return tookMs;
          },
        });
        const rates = Object.entries(took).map(([name, all]) => [name, (60_000 * size) / median(all)] as const);
        const rateOfOurs = rates[0]?.[1] ?? NaN;
        const ofMinute = rates.slice(1).map(([what, value]): Finding => {
          return { what: 'jobs', unit: '1/min', value: rateOfOurs, reference: { what, value }, isChief: true };
        });
        return {
          findings: [...ofMinute, ...costFindings(costs, median(costsOfLists), size)],
          raw: { size, jobsAtOnce, tookMs: took, costs, costsOfLists },
          ...(metube === undefined ? {} : { versions: { MeTube: await commitOf(metube) } }),
        };
      } finally {
        await other?.stop();
      }
    });
  },
};

function costFindings(costs: readonly ProcessorTime[], costOfLists: number, size: number): Finding[] {
  const ofJob = (seconds: (cost: ProcessorTime) => number): number => median(costs.map(seconds)) / size;
  const names = Object.keys(costs[0] ?? {});
  const sum = (cost: ProcessorTime): number => Object.values(cost).reduce((all, one) => all + one, 0);
  const reference = { what: LISTS, value: costOfLists / size };
  return [
    { what: 'processor time of a job', unit: 's', value: ofJob(sum), reference, isChief: true },
    ...names.map((name) => ({ what: `of that ${name}`, unit: 's', value: ofJob((cost) => cost[name] ?? 0) })),
  ];
}

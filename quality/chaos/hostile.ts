import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { attack, HOSTILE_KINDS, pageJob } from '../hostile/kinds.ts';
import { hugePictures, smallRecording } from '../hostile/media.ts';
import { createSites } from '../hostile/sites.ts';
import { createClient } from './client.ts';
import { openLedger } from './ledger.ts';
import type { Stage } from './stage.ts';

/** All kinds come at once, and the run is about faults: the bench measures what each of them costs another caller. */
const RATES = { jobsAtOnce: 1, streams: 60, followedJobs: 2, requestsPerSecond: 2 };
/** Converted within seconds, where that many are accepted. */
const PICTURES = 100;

/** A caller with a key of its own who does all that a hostile caller can do, at a modest rate, from now on. */
export async function sendHostileCaller(stage: Stage, dataDir: string) {
  const folder = join(dataDir, 'hostile');
  await mkdir(folder, { recursive: true });
  const { ffmpeg } = stage.tools;
  const media = {
    small: await smallRecording(ffmpeg, folder),
    pictures: await hugePictures(ffmpeg, folder, PICTURES),
  };
  const sites = createSites(media);
  const restUrl = `http://${stage.lines.api.address}`;
  const authorization = `Bearer ${stage.hostileKey.text}`;
  const lastingJob = () => pageJob(sites, 'slow-page');
  const attacks = HOSTILE_KINDS.map((kind) =>
    attack(kind, { restUrl, authorization, sites, rates: RATES, lastingJob }),
  );
  return {
    /** With its key, and without what its answers count for: the audit is about those of the others. */
    client: createClient(
      restUrl,
      authorization,
      openLedger([], () => ''),
    ),
    /** Ends with its jobs. Its sites stay: a job whose acceptance it never received ends by itself. */
    leave: async (): Promise<void> => {
      await Promise.all(attacks.map((one) => one.stopWithJobs()));
    },
    answers(): Readonly<Record<string, number>> {
      const sums: Record<string, number> = {};
      for (const [what, times] of attacks.flatMap((one) => Object.entries(one.answers))) {
        sums[what] = (sums[what] ?? 0) + times;
      }
      return sums;
    },
    stop: async (): Promise<void> => {
      await Promise.all(attacks.map((one) => one.stop()));
      await sites.stop();
    },
  };
}

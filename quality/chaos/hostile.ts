import { join } from 'node:path';
import { attack, HOSTILE_KINDS, pageJob } from '../hostile/kinds.ts';
import { openSites } from '../hostile/media.ts';
import { createClient } from './client.ts';
import { openLedger } from './ledger.ts';
import type { Stage } from './stage.ts';

/** All kinds of attack run at once, so the rates are low. The bench measures each kind alone. */
const RATES = { jobsAtOnce: 1, streams: 60, followedJobs: 2, requestsPerSecond: 2 };
const PICTURES = 100;

/** Starts a caller with its own key that runs all kinds of attack at a low rate. */
export async function sendHostileCaller(stage: Stage, dataDir: string) {
  const sites = await openSites(stage.tools.ffmpeg, join(dataDir, 'hostile'), PICTURES);
  const restUrl = `http://${stage.lines.api.address}`;
  const authorization = `Bearer ${stage.hostileKey.text}`;
  const ownLedger = openLedger([], () => '');
  const lastingJob = () => pageJob(sites, 'slow-page');
  const attacks = HOSTILE_KINDS.map((kind) =>
    attack(kind, { restUrl, authorization, sites, rates: RATES, lastingJob }),
  );
  return {
    /** A client with the key of the hostile caller. The audit ignores its answers, so it has a ledger of its own. */
    client: createClient(restUrl, authorization, ownLedger),
    /** Stops the attacks and cancels their jobs. The sites stay up for jobs that it does not know about. */
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

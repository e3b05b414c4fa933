import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { auditCharges } from './audit/charges.ts';
import { readEvidence } from './audit/evidence.ts';
import { auditFiles } from './audit/files.ts';
import { auditJobs } from './audit/jobs.ts';
import { auditRemains } from './audit/remains.ts';
import { auditWebhooks } from './audit/webhooks.ts';
import type { ChaosArguments } from './arguments.ts';
import { sendCallers } from './callers.ts';
import { createClient } from './client.ts';
import { planCuts, planKills } from './disturbances.ts';
import { countBy, factsOf } from './facts.ts';
import { openLedger } from './ledger.ts';
import { planCalls } from './plan.ts';
import { watchDescendants } from './processes.ts';
import { startProgress } from './progress.ts';
import { openWorkflows, untilQuiet } from './quiet.ts';
import { createRandom } from './random.ts';
import { createRecovery } from './recovery.ts';
import type { ChaosReport } from './report.ts';
import { setStage } from './stage.ts';
import { cutAll, killAll, type TroubleDeps, type Troubles } from './trouble.ts';
import { readWorld } from './world.ts';

/** Short-lived tools too. */
const WATCH_EVERY_MS = 500;

export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly arguments: Omit<ChaosArguments, 'json' | 'keep'>;
  /** An empty folder for everything that the run writes. */
  readonly dataDir: string;
  readonly say: (line: string) => void;
  /** Ends the run early; what was started is stopped. */
  readonly signal: AbortSignal;
}

/**
 * Jobs of all kinds, kills and cuts, silence, and the audit. Nothing that was started is left when it returns or throws.
 *
 * @throws when something does not start; the signal's reason
 */
export async function runChaos(options: RunOptions): Promise<ChaosReport> {
  const { jobs, minutes, kills, seed, patienceMinutes } = options.arguments;
  const { dataDir, say, signal } = options;
  const startedAt = new Date().toISOString();
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  const recovery = createRecovery();
  const processes = watchDescendants(WATCH_EVERY_MS);
  try {
    const log = (line: string): void => {
      recovery.heard(line);
      say(line);
    };
    const stage = await setStage({
      ...{ env: options.env, jobs, dataDir, log },
      onStarted: (stop) => stops.push(stop),
    });
    signal.throwIfAborted();
    const world = await readWorld(stage.sandbox);
    const random = createRandom(seed);
    const durationMs = minutes * 60_000;
    const calls = planCalls(world, random, { jobs, durationMs });
    const ledger = openLedger(calls, (id) => `http://${stage.lines.receiver.address}/hook/${id}`);
    const client = createClient(`http://${stage.lines.api.address}`, `Bearer ${stage.key.text}`, ledger);

    const startMs = performance.now();
    const nowMs = (): number => performance.now() - startMs;
    const troubles: Troubles = { kills: [], cuts: [] };
    const progress = startProgress({ say, nowMs, ledger, troubles, kills });
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    // Each caller listens.
    setMaxListeners(0, ending);
    const callers = sendCallers({ client, ledger, nowMs, goHome: ending });
    // It is awaited below; until then a failure must not end the process.
    callers.catch(() => undefined);
    const deps: TroubleDeps = {
      ...{ stage, recovery, nowMs, troubles },
      say: (line) => progress.say(line),
      signal: ending,
    };
    let quietMs: number | undefined;
    let troubledMs: number;
    try {
      const plan = { kills, durationMs };
      await Promise.all([
        killAll(deps, planKills(random, plan)),
        cutAll(deps, planCuts(random, plan)),
        delay(durationMs, undefined, { signal: ending }),
      ]);
      troubledMs = nowMs();
      progress.say('everything is left alone from here on');
      quietMs = await untilQuiet(stage, ledger, { withinMs: patienceMinutes * 60_000, signal: ending });
    } finally {
      over.abort(new Error('the run is over'));
      progress.stop();
      await callers;
    }
    signal.throwIfAborted();

    say('auditing');
    const open = await openWorkflows(stage);
    const evidence = await readEvidence(stage, client);
    const { receptions } = stage.receiver;
    const webhooks = auditWebhooks(ledger, receptions, { ...evidence, kills: troubles.kills.length });
    const { ffmpeg, ffprobe } = stage.tools;
    const files = await auditFiles({ folder: join(dataDir, 'service/files'), world, ffmpeg, ffprobe }, evidence);
    await stopAll();
    processes.stop();
    const { repeats } = webhooks;
    const facts = factsOf({
      ...{ ledger, evidence, troubles, recovery, repeats, troubledMs, quietMs },
      ...{ receptions: receptions.length, files: files.files },
    });
    const withoutBody = ledger.serverErrors.filter((error) => !error.hasErrorBody);
    return {
      ...{ arguments: options.arguments, startedAt, facts },
      kills: countBy(troubles.kills, ({ victim }) => victim),
      jobs: countBy(evidence.records.values(), ({ type }) => type),
      findings: [
        ...auditJobs(ledger, evidence),
        ...files.findings,
        ...auditCharges(evidence, stage.key.credit),
        ...webhooks.findings,
        { column: 'workflows still open', ids: open },
        { column: 'answers 5xx without an error body', ids: withoutBody.map(({ path, text }) => `${path}: ${text}`) },
        ...(await auditRemains(dataDir, processes.seen)),
      ],
    };
  } finally {
    processes.stop();
    await stopAll();
  }
}

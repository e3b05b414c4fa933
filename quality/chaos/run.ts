import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { auditChargesOfBoth } from './audit/charges.ts';
import { readEvidence, type Finding } from './audit/evidence.ts';
import { auditFetches, auditSnapshots, readSnapshots } from './audit/snapshots.ts';
import { auditFiles } from './audit/files.ts';
import { auditJobs } from './audit/jobs.ts';
import { auditMemory, watchMemory } from './audit/memory.ts';
import { auditRemains } from './audit/remains.ts';
import { auditWebhooks } from './audit/webhooks.ts';
import type { ChaosArguments } from './arguments.ts';
import { auditBatches, isOfJob, planBatches, sendBatches } from './batches.ts';
import { sendCallers } from './callers.ts';
import { createClient } from './client.ts';
import { countBy, factsOf, progressOf } from './facts.ts';
import { waitUntilIdle, openWorkflows } from './idle.ts';
import { sendHostileCaller } from './hostile.ts';
import { cutAll, InjectedFaults, killAll } from './inject-faults.ts';
import { openLedger } from './ledger.ts';
import { planCalls, createRandom } from './plan.ts';
import { planCuts, planKills } from './planned-faults.ts';
import { watchDescendants } from '../processes.ts';
import { misbehave, readSandboxIndex } from './sandbox-index.ts';
import { relieveTwice } from './relieve.ts';
import { setStage } from './stage.ts';
import { auditSubscriptions, followChannels, planSubscriptions } from './subscriptions.ts';

const WATCH_EVERY_MS = 500;
const PROGRESS_EVERY_MS = 10_000;
/** Orders of snapshots that are never answered, in addition to those that a cut hits. */
const LOST_ANSWERS_PER_JOB = 0.05;

export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings?: Readonly<Record<string, string>>;
  readonly arguments: Omit<ChaosArguments, 'json' | 'keep'>;
  readonly dataDir: string;
  readonly say: (line: string) => void;
  /** Instead of kills and cuts: this release relieves the one of another checkout, and that one this. */
  readonly relay?: { readonly before: string; readonly openJobs: number };
  readonly signal: AbortSignal;
}

/** Runs jobs of all kinds during kills and cuts, and audits the result. Stops everything that it started. */
export async function runChaos(options: RunOptions) {
  const { jobs, minutes, kills, seed, patienceMinutes, imgnet: imgnetShare } = options.arguments;
  const { env, settings, dataDir, say, relay, signal } = options;
  const startedAt = new Date().toISOString();
  const stops: (() => Promise<void>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
  };
  const injected = new InjectedFaults();
  const processes = watchDescendants(WATCH_EVERY_MS);
  try {
    const log = (line: string): void => {
      injected.readLog(line);
      say(line);
    };
    const stage = await setStage({
      env,
      settings,
      jobs,
      imgnetShare,
      dataDir,
      before: relay?.before,
      log,
      onStarted: (stop) => stops.push(stop),
    });
    signal.throwIfAborted();
    const index = await readSandboxIndex(stage.sandbox);
    if (relay === undefined) {
      const times = Math.ceil(jobs * LOST_ANSWERS_PER_JOB);
      await misbehave(stage.sandbox, { target: 'dataset', mode: 'unanswered', times });
    }
    const random = createRandom(seed);
    const durationMs = minutes * 60_000;
    const calls = planCalls(index, random, { jobs, durationMs, imgnetShare });
    const webhookUrlOf = (id: string): string => `http://${stage.lines.receiver.address}/hook/${id}`;
    const ledger = openLedger(calls, webhookUrlOf);
    // The release before may not know batches and subscriptions.
    const batches = relay === undefined ? planBatches(calls, durationMs) : [];
    const channels = relay === undefined ? planSubscriptions(index) : [];
    const client = createClient(`http://${stage.lines.api.address}`, `Bearer ${stage.key.text}`, ledger);

    // An upgrade is tested without a hostile caller.
    const hostile = relay === undefined ? await sendHostileCaller(stage, dataDir) : undefined;
    if (hostile !== undefined) stops.push(hostile.stop);
    const memory = watchMemory(stage, WATCH_EVERY_MS);
    stops.push(memory.stop);

    const startMs = performance.now();
    const nowMs = (): number => performance.now() - startMs;
    const sayWhen = (line: string): void => say(`${clock(nowMs())}  ${line}`);
    const progress = setInterval(() => sayWhen(progressOf(ledger, injected, kills)), PROGRESS_EVERY_MS);
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    setMaxListeners(0, ending);
    const callers = sendCallers({ client, ledger, nowMs, goHome: ending });
    const senderDeps = { client, webhookUrlOf, nowMs, goHome: ending };
    const senders = sendBatches(batches, senderDeps);
    let areChecked = false;
    void followChannels(channels, { ...senderDeps, durationMs, sandbox: stage.sandbox }).then(
      () => (areChecked = true),
      (error: unknown) => sayWhen(String(error)),
    );
    // Awaited below.
    callers.catch(() => undefined);
    // A batch that was not started is found by the audit.
    senders.catch(() => undefined);
    const deps = { stage, nowMs, injected, say: sayWhen, signal: ending };
    let idleAfterMs: number | undefined;
    let injectedForMs: number;
    try {
      const plan = { kills, durationMs };
      await Promise.all([
        ...(relay === undefined
          ? [killAll(deps, planKills(random, plan)), cutAll(deps, planCuts(random, plan))]
          : [relieveTwice(deps, relay)]),
        delay(durationMs, undefined, { signal: ending }),
      ]);
      injectedForMs = nowMs();
      sayWhen('everything is left alone from here on');
      await hostile?.leave();
      idleAfterMs = await waitUntilIdle(stage, ledger, {
        ...{ isDone: () => areChecked, withinMs: patienceMinutes * 60_000, signal: ending },
      });
    } finally {
      over.abort(new Error('the run is over'));
      clearInterval(progress);
      await callers;
    }
    signal.throwIfAborted();

    say('auditing');
    const open = await openWorkflows(stage);
    const evidence = await readEvidence(stage, client);
    const evidenceOfHostile = hostile && (await readEvidence({ ...stage, key: stage.hostileKey }, hostile.client));
    const snapshots = await readSnapshots(stage);
    const all = stage.receptions();
    const receptions = all.filter(isOfJob);
    const known = { client, records: evidence.records, receptions: all };
    const listFindings = [...(await auditBatches(batches, known)), ...(await auditSubscriptions(channels, known))];
    const repeated = relay === undefined ? [] : [await auditFetches(stage, evidence)];
    const webhooks = auditWebhooks(ledger, receptions, { ...evidence, kills: injected.kills.length });
    const { ffmpeg, ffprobe } = stage.tools;
    const files = await auditFiles({ folder: join(dataDir, 'service/files'), index, ffmpeg, ffprobe }, evidence);
    await stopAll();
    processes.stop();
    const findings: readonly Finding[] = [
      ...auditJobs(ledger, evidence),
      auditSnapshots(snapshots),
      ...repeated,
      ...files.findings,
      ...auditChargesOfBoth({ ordinary: evidence, hostile: evidenceOfHostile }, stage.key.credit),
      ...webhooks.findings,
      ...listFindings,
      { column: 'workflows still open', ids: open },
      { column: 'answers 5xx without an error body', ids: ledger.bareErrors },
      auditMemory(memory.peaks),
      ...(await auditRemains(dataDir, processes.seen)),
    ];
    return {
      arguments: options.arguments,
      startedAt,
      facts: factsOf({
        ledger,
        evidence,
        injected,
        receptions: receptions.length,
        repeats: webhooks.repeats,
        files: files.files,
        snapshots,
        injectedForMs,
        idleAfterMs,
        hostileAnswers: hostile?.answers() ?? {},
        peaksMib: memory.peaks,
      }),
      kills: countBy(injected.kills, ({ victim }) => victim),
      jobs: countBy(evidence.records.values(), ({ type }) => type),
      findings,
    };
  } finally {
    processes.stop();
    await stopAll();
  }
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
}

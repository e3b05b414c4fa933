import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { RouteLimits } from '../../runtime/pacing.ts';
import { detailsOf, pausedMemoOf, viewOf } from './describe.ts';
import { requestPermitSignal, releasePermitSignal, limiterQuery } from './messages.ts';
import { Messenger } from './messenger.ts';
import { initialPermits, Permits, type PermitsState } from './permits.ts';

export interface LimiterInput {
  readonly limits: RouteLimits;
  /** What an earlier run knew. */
  readonly state?: PermitsState;
  /** Events after which a new run takes over: a worker that has lost its cache replays them all. */
  readonly maxEvents?: number;
}

const MAX_EVENTS = 4_000;
const IDLE_MS = 10 * 60_000;

/**
 * Grants the permits of one route, for all workers. It ends when nobody has asked for a while, and the next request starts it
 * again.
 */
export async function limiter(input: LimiterInput): Promise<void> {
  const permits = new Permits(input.state ?? initialPermits(input.limits));
  let isNew = false;
  const wake = (): void => void (isNew = true);
  const messenger = new Messenger(permits, wake);
  setHandler(requestPermitSignal, ({ asker, limits }) => {
    permits.adopt(limits);
    permits.request(asker);
    wake();
  });
  setHandler(releasePermitSignal, ({ turnId, how, again }) => {
    permits.end(turnId, how, { nowMs: Date.now(), again });
    wake();
  });
  setHandler(limiterQuery, () => viewOf(permits.state));
  const show = showing();

  while (!isLong(input.maxEvents ?? MAX_EVENTS)) {
    isNew = false;
    const nowMs = Date.now();
    const { granted, wakeAtMs = Infinity } = permits.next(nowMs);
    for (const holder of granted) messenger.grant(holder);
    messenger.tellNews();
    messenger.checkHolders(nowMs);
    show(permits.state);

    const endMs = (permits.idleFromMs(nowMs) ?? Infinity) + IDLE_MS;
    const dueMs = Math.min(wakeAtMs, permits.nextCheckMs ?? Infinity, endMs);
    if (dueMs === Infinity) await condition(() => isNew);
    else if (!(await condition(() => isNew, Math.max(1, dueMs - nowMs))) && dueMs === endMs) return;
  }
  // Nothing more is granted, so this ends soon. Requests that come meanwhile are part of the state.
  await condition(() => messenger.isIdle && allHandlersFinished());
  await continueAsNew<typeof limiter>({ ...input, limits: permits.state.limits, state: permits.state });
}

function isLong(maxEvents: number): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= maxEvents;
}

/** @returns a function that shows the state to operators; only a change of the pause costs an event */
function showing(): (state: PermitsState) => void {
  let shown = JSON.stringify(workflowInfo().memo?.['paused'] ?? null);
  return (state) => {
    setCurrentDetails(detailsOf(state));
    const paused = pausedMemoOf(state.pause);
    if (JSON.stringify(paused) === shown) return;
    shown = JSON.stringify(paused);
    upsertMemo({ paused });
  };
}

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
import { askSignal, endTurnSignal, limiterQuery } from './messages.ts';
import { Messenger } from './messenger.ts';
import { initialTurns, Turns, type TurnsState } from './turns.ts';

export interface LimiterInput {
  readonly limits: RouteLimits;
  /** What an earlier run knew. */
  readonly state?: TurnsState;
  /** Events after which a new run takes over: a worker that has lost its cache replays them all. */
  readonly maxEvents?: number;
}

const MAX_EVENTS = 4_000;
const IDLE_MS = 10 * 60_000;

/**
 * Grants the turns of one route, for all workers. It ends when nobody has asked for a while, and the next ask starts it
 * again.
 */
export async function limiter(input: LimiterInput): Promise<void> {
  const turns = new Turns(input.state ?? initialTurns(input.limits));
  let isNew = false;
  const wake = (): void => void (isNew = true);
  const messenger = new Messenger(turns, wake);
  setHandler(askSignal, ({ asker, limits }) => {
    turns.adopt(limits);
    turns.ask(asker);
    wake();
  });
  setHandler(endTurnSignal, ({ turnId, how, again }) => {
    turns.end(turnId, how, { nowMs: Date.now(), again });
    wake();
  });
  setHandler(limiterQuery, () => viewOf(turns.state));
  const show = showing();

  while (!isLong(input.maxEvents ?? MAX_EVENTS)) {
    isNew = false;
    const nowMs = Date.now();
    const { granted, wakeAtMs = Infinity } = turns.next(nowMs);
    for (const holder of granted) messenger.grant(holder);
    messenger.tellNews();
    messenger.checkHolders(nowMs);
    show(turns.state);

    const endMs = (turns.idleFromMs(nowMs) ?? Infinity) + IDLE_MS;
    const dueMs = Math.min(wakeAtMs, turns.nextCheckMs ?? Infinity, endMs);
    if (dueMs === Infinity) await condition(() => isNew);
    else if (!(await condition(() => isNew, Math.max(1, dueMs - nowMs))) && dueMs === endMs) return;
  }
  // Nothing more is granted, so this ends soon. Asks that come meanwhile are part of the state.
  await condition(() => messenger.isQuiet && allHandlersFinished());
  await continueAsNew<typeof limiter>({ ...input, limits: turns.state.limits, state: turns.state });
}

function isLong(maxEvents: number): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= maxEvents;
}

/** @returns a function that shows the state to operators; only a change of the pause costs an event */
function showing(): (state: TurnsState) => void {
  let shown = JSON.stringify(workflowInfo().memo?.['paused'] ?? null);
  return (state) => {
    setCurrentDetails(detailsOf(state));
    const paused = pausedMemoOf(state.pause);
    if (JSON.stringify(paused) === shown) return;
    shown = JSON.stringify(paused);
    upsertMemo({ paused });
  };
}

import { z } from 'zod';
import { countSchema, epochMsSchema } from '../../runtime/inputs/parts.ts';
import {
  limitsSchema,
  permitRequestSchema,
  type PauseNotice,
  type PermitRequest,
  type RouteLimits,
} from '../../runtime/pacing.ts';
import {
  confirmedPause,
  firstPause,
  longerPause,
  pastPauseSchema,
  pauseSchema,
  refusalSchema,
  type Pause,
  type Refusal,
} from './pauses.ts';

/** How the use of a permit ended. `answered`: the platform served us or refused the subject; `withdrawn`: nothing was learned of it. */
export const permitEndSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['answered', 'withdrawn']) }),
  refusalSchema.extend({ kind: z.literal('refused') }),
]);
export type PermitEnd = z.infer<typeof permitEndSchema>;

const placed = permitRequestSchema.extend({
  /** The order of the requests: a job that was refused keeps it, and so comes before those who never had a permit. */
  place: countSchema,
});
const waiterSchema = placed.extend({
  /** The newest state of the pause that this job was told of. */
  told: z.int().min(-1),
});
type Waiter = z.infer<typeof waiterSchema>;
const holderSchema = placed.extend({
  /** Number of the pauses before this permit: tells a refusal that a pause answers already. */
  pausesBefore: countSchema,
  /** When it was granted, or last found alive. */
  seenMs: epochMsSchema,
});
type Holder = z.infer<typeof holderSchema>;

/** All that a limiter knows; plain data, so that its next run takes over. Times are in milliseconds since the epoch. */
export const permitsSchema = z
  .object({
    limits: limitsSchema,
    holders: z.array(holderSchema).readonly(),
    /** In the order of their places. */
    queue: z.array(waiterSchema).readonly(),
    pause: pauseSchema.optional(),
    pastPause: pastPauseSchema.exactOptional(),
    pauses: countSchema,
    nextPlace: countSchema,
    /** When the next start would be due if starts were evenly spaced. */
    dueMs: epochMsSchema,
    /** Counts what waiting jobs must be told. */
    news: countSchema,
  })
  .readonly();
export type PermitsState = z.infer<typeof permitsSchema>;

export function initialPermits(limits: RouteLimits): PermitsState {
  return { limits, holders: [], queue: [], pauses: 0, nextPlace: 1, dueMs: 0, news: 0 };
}

/** Beyond this, a request is forgotten and comes again minutes later: the state must fit into a payload of 2 MB. */
const MAX_QUEUE = 5_000;
/** A platform that refuses does so within seconds, and a download of hours must not keep all others waiting. */
const PROBE_TRUST_MS = 60_000;
/** Holders that are older are looked at while others wait: a terminated workflow gives nothing back. */
const HOLDER_CHECK_MS = 60_000;

/** The decisions of a limiter, without a clock or messages of its own. */
export class Permits {
  #state: PermitsState;

  constructor(state: PermitsState) {
    this.#state = state;
  }

  get state(): PermitsState {
    return this.#state;
  }

  /** Changed settings take effect with the next request. */
  adopt(limits: RouteLimits): void {
    this.#change({ limits });
  }

  /** Whoever waits or works already loses and gains nothing by requesting again. */
  request(request: PermitRequest): void {
    const { queue, holders, nextPlace } = this.#state;
    const isKnown = (one: PermitRequest): boolean => one.turnId === request.turnId;
    if (queue.some(isKnown) || holders.some(isKnown) || queue.length >= MAX_QUEUE) return;
    this.#enqueue(request, nextPlace);
    this.#change({ nextPlace: nextPlace + 1 });
  }

  /**
   * Ends a permit, whether it was granted or not.
   *
   * @param at.again who was refused waits on, in the old place; as the probe of a pause, behind all others
   */
  end(
    turnId: string,
    how: PermitEnd,
    at: { readonly nowMs: number; readonly again?: PermitRequest | undefined },
  ): void {
    const { holders, queue, pause } = this.#state;
    const holder = holders.find((one) => one.turnId === turnId);
    const isProbe = pause?.probe?.turnId === turnId;
    this.#change({
      holders: holders.filter((one) => one !== holder),
      queue: queue.filter((one) => one.turnId !== turnId),
    });
    if (how.kind === 'refused') this.#refused(how, holder, at.nowMs);
    else if (isProbe) {
      if (how.kind === 'answered') this.#reopen(pause, at.nowMs);
      else this.#change({ pause: { ...pause, probe: undefined } });
    }
    if (at.again === undefined) return;
    // The next probe is another job's: the platform may refuse this subject alone, and then nobody else would ever start.
    if (holder === undefined || isProbe) this.request(at.again);
    else this.#enqueue(at.again, holder.place);
  }

  /** Grants what may start now. @returns the new holders, and when something may start if nothing happens before */
  next(nowMs: number): { readonly granted: readonly Holder[]; readonly wakeAtMs?: number } {
    const { pause } = this.#state;
    if (pause?.probe !== undefined && nowMs >= pause.probe.sinceMs + PROBE_TRUST_MS) this.#reopen(pause, nowMs);
    const granted: Holder[] = [];
    for (;;) {
      const { queue, holders, limits } = this.#state;
      const [first] = queue;
      if (first === undefined || holders.length >= limits.maxAtOnce) return { granted };
      const startMs = this.#nextStartMs();
      if (startMs > nowMs) return { granted, wakeAtMs: startMs };
      granted.push(this.#grant(first, nowMs));
    }
  }

  /** Waiting jobs that know an older state of the pause; they count as told. */
  takeUntold(max: number): { readonly askers: readonly PermitRequest[]; readonly notice: PauseNotice } {
    const { queue, news, pause } = this.#state;
    const askers = queue.filter(({ told }) => told < news).slice(0, max);
    const chosen = new Set(askers.map(({ turnId }) => turnId));
    this.#change({ queue: queue.map((one) => (chosen.has(one.turnId) ? { ...one, told: news } : one)) });
    const notice: PauseNotice =
      pause === undefined
        ? { state: 'open' }
        : { state: 'paused', code: pause.code, reason: pause.reason, untilMs: pause.untilMs };
    return { askers: askers.map(({ turnId, workflowId, runId }) => ({ turnId, workflowId, runId })), notice };
  }

  /** Holders that may be dead while others wait; they count as seen. */
  takeUnseen(nowMs: number): readonly PermitRequest[] {
    const { holders } = this.#state;
    const isDue = (one: Holder): boolean => nowMs >= one.seenMs + HOLDER_CHECK_MS;
    const due = this.#checksHolders() ? holders.filter(isDue) : [];
    if (due.length > 0) {
      this.#change({ holders: holders.map((one) => (isDue(one) ? { ...one, seenMs: nowMs } : one)) });
    }
    return due.map(({ turnId, workflowId, runId }) => ({ turnId, workflowId, runId }));
  }

  /** @returns when {@link takeUnseen} is worth a call */
  get nextCheckMs(): number | undefined {
    if (!this.#checksHolders()) return undefined;
    return Math.min(...this.#state.holders.map(({ seenMs }) => seenMs + HOLDER_CHECK_MS));
  }

  /** @returns since when there is nothing to do and nothing to remember; in the future while an unused pause lasts */
  idleFromMs(nowMs: number): number | undefined {
    const { queue, holders, pause } = this.#state;
    if (queue.length > 0 || holders.length > 0) return undefined;
    return Math.max(nowMs, pause?.untilMs ?? 0);
  }

  #checksHolders(): boolean {
    return this.#state.queue.length > 0 && this.#state.holders.length > 0;
  }

  #nextStartMs(): number {
    const { limits, dueMs, pause } = this.#state;
    // As many as may run at once may also start together.
    const evenMs = dueMs - (limits.maxAtOnce - 1) * spacingMs(limits);
    if (pause === undefined) return evenMs;
    if (pause.probe !== undefined) return pause.probe.sinceMs + PROBE_TRUST_MS;
    return Math.max(pause.untilMs, evenMs);
  }

  #grant({ turnId, workflowId, runId, place }: Waiter, nowMs: number): Holder {
    const { queue, holders, pauses, pause, dueMs, limits } = this.#state;
    const holder = { turnId, workflowId, runId, place, pausesBefore: pauses, seenMs: nowMs };
    this.#change({
      queue: queue.slice(1),
      holders: [...holders, holder],
      dueMs: Math.max(dueMs, nowMs) + spacingMs(limits),
      ...(pause === undefined ? {} : { pause: { ...pause, probe: { turnId, sinceMs: nowMs } } }),
    });
    return holder;
  }

  #refused(refusal: Refusal, holder: Holder | undefined, nowMs: number): void {
    const { pause, pastPause, pauses, limits, news } = this.#state;
    if (pause === undefined) {
      // Who started before the last pause says nothing of the time since.
      const past = holder?.pausesBefore === pauses ? pastPause : undefined;
      const first = firstPause(refusal, limits, { nowMs, past });
      this.#change({ pause: first, pauses: pauses + 1, news: news + 1 });
      return;
    }
    const isProbe = pause.probe !== undefined && pause.probe.turnId === holder?.turnId;
    const next = isProbe ? longerPause(pause, refusal, { limits, nowMs }) : confirmedPause(pause, refusal, nowMs);
    this.#change({ pause: next, news: next.untilMs === pause.untilMs ? news : news + 1 });
  }

  #reopen(pause: Pause, nowMs: number): void {
    const { limits, dueMs, news } = this.#state;
    this.#change({
      pause: undefined,
      pastPause: { lengthMs: pause.lengthMs, endedMs: nowMs },
      // After a pause one starts after the other, not all that may run at once: the platform refuses easily then.
      dueMs: Math.max(dueMs, nowMs + (limits.maxAtOnce - 1) * spacingMs(limits)),
      news: news + 1,
    });
  }

  #enqueue({ turnId, workflowId, runId }: PermitRequest, place: number): void {
    const { queue, pause, news } = this.#state;
    const index = queue.findIndex((one) => one.place > place);
    const waiter = { turnId, workflowId, runId, place, told: pause === undefined ? news : -1 };
    this.#change({ queue: queue.toSpliced(index < 0 ? queue.length : index, 0, waiter) });
  }

  #change(change: Partial<PermitsState>): void {
    this.#state = { ...this.#state, ...change };
  }
}

function spacingMs(limits: RouteLimits): number {
  return 60_000 / limits.startsPerMinute;
}

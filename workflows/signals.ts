import { FAILURE_FAULTS } from '../contract/failures.ts';
import { WEBHOOK_URL_MAX_CHARS } from '../contract/limits.ts';
import type { PauseNotice } from '../runtime/pacing.ts';

/** A time that a Date can hold: a later one throws when it is written as text. */
const MAX_EPOCH_MS = 8.64e15;

// By hand: zod would be made anew for each workflow, which took a third of a worker's processor time for a job.
const SIGNALS: Readonly<Record<string, (args: readonly unknown[]) => boolean>> = {
  subscribe: ([url, caller, ...more]) =>
    more.length === 0 && isHttpUrl(url) && (caller === undefined || (isText(caller) && /^[\w-]{1,64}$/.test(caller))),
  turnGranted: ([granted, ...more]) =>
    more.length === 0 && isObject(granted) && isText(granted['turnId']) && isText(granted['limiterId']),
  pause: ([told, ...more]) => more.length === 0 && isObject(told) && isText(told['turnId']) && isNotice(told['notice']),
};

/** Whether a signal is one that workflows know, with the arguments that its handler takes. */
export function isKnownSignal(name: string, args: readonly unknown[]): boolean {
  return Object.hasOwn(SIGNALS, name) && SIGNALS[name]?.(args) === true;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 1_000;
}

function isHttpUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > WEBHOOK_URL_MAX_CHARS || !URL.canParse(value)) return false;
  return /^https?:$/.test(new URL(value).protocol);
}

function isNotice(value: unknown): value is PauseNotice {
  if (!isObject(value)) return false;
  if (value['state'] === 'open') return true;
  const { state, code, reason, untilMs } = value;
  const isTime = typeof untilMs === 'number' && untilMs >= 0 && untilMs <= MAX_EPOCH_MS;
  return (
    state === 'paused' && isTime && typeof reason === 'string' && isText(code) && Object.hasOwn(FAILURE_FAULTS, code)
  );
}

import { WEBHOOK_URL_MAX_CHARS } from '../../contract/limits.ts';

// By hand: zod would be made anew for each workflow, which took a third of a worker's processor time for a job.
const SIGNALS: Readonly<Record<string, (args: readonly unknown[]) => boolean>> = {
  subscribe: ([url, caller, ...more]) =>
    more.length === 0 && isHttpUrl(url) && (caller === undefined || (isText(caller) && /^[\w-]{1,64}$/.test(caller))),
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

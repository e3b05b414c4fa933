import { z } from 'zod';

/** A switch that is on. */
export type Active<Request> = Request & {
  /** Requests that it will still hit; undefined: all. */
  readonly times_left?: number | undefined;
  /** Requests that it has hit. */
  readonly hits: number;
};

/** A mode that is a status may be given as a number. */
export function modeSchema<const Modes extends readonly [string, ...string[]]>(modes: Modes) {
  return z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.enum(modes));
}

/** Fields that every switch has. */
export const switchFields = {
  times: z.number().int().positive().optional().describe('how many requests; without it, until off'),
  retry_after_seconds: z.number().int().nonnegative().optional().describe('429, 500: Retry-After'),
};

/** Switches that end by themselves when they have hit as many requests as they are for; the newest comes first. */
export class SwitchList<Request extends object> {
  #active: readonly Active<Request>[] = [];

  list(): readonly Active<Request>[] {
    return this.#active;
  }

  add(request: Request, times: number | undefined): void {
    this.#active = [{ ...request, times_left: times, hits: 0 }, ...this.#active];
  }

  remove(isMeant: (one: Request) => boolean): void {
    this.#active = this.#active.filter((one) => !isMeant(one));
  }

  /** The first that fits; counts it. */
  take(fits: (one: Request) => boolean): Request | undefined {
    const found = this.#active.find(fits);
    if (found === undefined) return undefined;
    const left = found.times_left === undefined ? undefined : found.times_left - 1;
    const counted = { ...found, times_left: left, hits: found.hits + 1 };
    this.#active = this.#active.flatMap((one) => (one !== found ? [one] : left === 0 ? [] : [counted]));
    return found;
  }
}

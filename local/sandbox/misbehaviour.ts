import { z } from 'zod';

export const TARGETS = ['page', 'media', 'captions', 'comments', 'api'] as const;
export type Target = (typeof TARGETS)[number];
/** What the Data API can do wrong; the rest is about bodies. */
const API_MODES = ['429', '500', 'hang', 'quota', 'rate'];
const ONLY_API_MODES = ['quota', 'rate'];

const mode = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.enum(['429', '500', 'hang', 'cut', 'short', 'slow', 'quota', 'rate', 'off']),
);
const fraction = z.number().gt(0).lt(1);

/** Body of POST /misbehave. */
export const switchSchema = z.strictObject({
  video: z.string().describe('id of a video, or * for all'),
  target: z.enum(TARGETS).optional().describe('off may leave it out and then means all'),
  mode,
  times: z.number().int().positive().optional().describe('how many requests; without it, until off'),
  retry_after_seconds: z.number().int().nonnegative().optional().describe('Retry-After of a 429 or 500'),
  bytes_per_second: z.number().int().positive().optional().describe('speed of slow, cut, short; slow: 20000'),
  cut_at_bytes: z.number().int().nonnegative().optional().describe('cut, short, hang: bytes before it happens'),
  cut_at_fraction: fraction.optional().describe('the same as a part of the body; cut and short: 0.5'),
  chunked: z.boolean().optional().describe('short: send no Content-Length'),
});
export type SwitchRequest = z.infer<typeof switchSchema>;

export type Misbehaviour = Omit<SwitchRequest, 'mode' | 'target' | 'times'> & {
  readonly mode: Exclude<SwitchRequest['mode'], 'off'>;
  readonly target: Target;
};

interface ActiveSwitch extends Misbehaviour {
  /** Requests that it will still hit; undefined: all. */
  readonly times_left?: number | undefined;
  /** Requests that it has hit. */
  readonly hits: number;
}

export interface Switchboard {
  /** @returns the switches that are active then @throws SwitchError */
  set(request: SwitchRequest): readonly ActiveSwitch[];
  list(): readonly ActiveSwitch[];
  /** What to do wrong with this request; counts it. */
  take(videoId: string, target: Target): Misbehaviour | undefined;
}

/** The request makes no sense; the message says why. */
export class SwitchError extends Error {
  override readonly name = 'SwitchError';
}

export function createSwitchboard(isVideo: (id: string) => boolean): Switchboard {
  const switches = new Map<string, ActiveSwitch>();
  const keyOf = (video: string, target: Target): string => `${target} ${video}`;
  const list = (): readonly ActiveSwitch[] => [...switches.values()];

  return {
    list,
    set({ mode: wanted, target, times, ...rest }) {
      const { video } = rest;
      if (video !== '*' && !isVideo(video))
        throw new SwitchError(`video: ${JSON.stringify(video)} is not in the catalogue`);
      if (wanted === 'off') {
        const targets = target === undefined ? TARGETS : [target];
        // Everything off means everything, whatever it was switched on for.
        for (const [key, one] of switches) {
          if (targets.includes(one.target) && (video === '*' || one.video === video)) switches.delete(key);
        }
        return list();
      }
      if (target === undefined) throw new SwitchError(`target: one of ${TARGETS.join(', ')} is needed`);
      if (target === 'api' && video !== '*') throw new SwitchError('video: the api is switched with *');
      if (target === 'api' ? !API_MODES.includes(wanted) : ONLY_API_MODES.includes(wanted))
        throw new SwitchError(`mode: ${wanted} is not for ${target}; the api knows ${API_MODES.join(', ')}`);
      switches.set(keyOf(video, target), { ...rest, target, mode: wanted, times_left: times, hits: 0 });
      return list();
    },
    take(videoId, target) {
      for (const key of [keyOf(videoId, target), keyOf('*', target)]) {
        const found = switches.get(key);
        if (found === undefined) continue;
        const timesLeft = found.times_left === undefined ? undefined : found.times_left - 1;
        if (timesLeft === 0) switches.delete(key);
        else switches.set(key, { ...found, times_left: timesLeft, hits: found.hits + 1 });
        return found;
      }
      return undefined;
    },
  };
}

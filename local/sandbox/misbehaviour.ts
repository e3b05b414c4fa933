import { z } from 'zod';
import { modeSchema, switchFields, SwitchList, type Active } from './switch-list.ts';

export const TARGETS = ['page', 'media', 'captions', 'comments', 'api'] as const;
export type Target = (typeof TARGETS)[number];
/** What the Data API can do wrong; the rest is about bodies. */
const API_MODES = ['429', '500', 'hang', 'quota', 'rate'];
const ONLY_API_MODES = ['quota', 'rate'];

/** Body of POST /misbehave. */
export const switchSchema = z.strictObject({
  ...switchFields,
  video: z.string().describe('id of a video, or * for all'),
  target: z.enum(TARGETS).optional().describe('off may leave it out and then means all'),
  mode: modeSchema(['429', '500', 'hang', 'cut', 'short', 'slow', 'quota', 'rate', 'off']),
  bytes_per_second: z.number().int().positive().optional().describe('speed of slow, cut, short; slow: 20000'),
  cut_at_bytes: z.number().int().nonnegative().optional().describe('cut, short, hang: bytes before it happens'),
  cut_at_fraction: z.number().gt(0).lt(1).optional().describe('the same as a part of the body; cut and short: 0.5'),
  chunked: z.boolean().optional().describe('short: send no Content-Length'),
});
export type SwitchRequest = z.infer<typeof switchSchema>;

export type Misbehaviour = Omit<SwitchRequest, 'mode' | 'target' | 'times'> & {
  readonly mode: Exclude<SwitchRequest['mode'], 'off'>;
  readonly target: Target;
};

/** What goes wrong on the video platform and its Data API. */
export class Switchboard {
  readonly #switches = new SwitchList<Misbehaviour>();
  readonly #isVideo: (id: string) => boolean;

  constructor(isVideo: (id: string) => boolean) {
    this.#isVideo = isVideo;
  }

  list(): readonly Active<Misbehaviour>[] {
    return this.#switches.list();
  }

  /** @returns why the request makes no sense; undefined when it was done */
  set({ mode, target, times, ...rest }: SwitchRequest): string | undefined {
    const { video } = rest;
    if (video !== '*' && !this.#isVideo(video)) return `video: ${JSON.stringify(video)} is not in the catalogue`;
    if (mode === 'off') {
      this.#switches.remove((one) => (target ?? one.target) === one.target && (video === '*' || one.video === video));
      return undefined;
    }
    if (target === undefined) return `target: one of ${TARGETS.join(', ')} is needed`;
    if (target === 'api' && video !== '*') return 'video: the api is switched with *';
    if (target === 'api' ? !API_MODES.includes(mode) : ONLY_API_MODES.includes(mode))
      return `mode: ${mode} is not for ${target}; the api knows ${API_MODES.join(', ')}`;
    this.#switches.remove((one) => one.target === target && one.video === video);
    this.#switches.add({ ...rest, target, mode }, times);
    return undefined;
  }

  /** What to do wrong with this request; counts it. */
  take(videoId: string, target: Target): Misbehaviour | undefined {
    const takeOf = (video: string): Misbehaviour | undefined =>
      this.#switches.take((one) => one.target === target && one.video === video);
    return takeOf(videoId) ?? takeOf('*');
  }
}

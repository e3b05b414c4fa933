import { z } from 'zod';

const TARGETS = ['page', 'media', 'captions', 'comments', 'api'] as const;
export type Target = (typeof TARGETS)[number];
const API_MODES = ['429', '500', 'hang', 'quota', 'rate'];
const ONLY_API_MODES = ['quota', 'rate'];

const switchFields = {
  times: z.number().int().positive().optional(),
  retry_after_seconds: z.number().int().nonnegative().optional(),
};

/** Body of POST /misbehave; README.md explains the fields. */
export const switchSchema = z.strictObject({
  ...switchFields,
  video: z.string(),
  target: z.enum(TARGETS).optional(),
  mode: modeSchema(['429', '500', 'hang', 'cut', 'short', 'slow', 'quota', 'rate', 'off']),
  bytes_per_second: z.number().int().positive().optional(),
  cut_at_bytes: z.number().int().nonnegative().optional(),
  cut_at_fraction: z.number().gt(0).lt(1).optional(),
  chunked: z.boolean().optional(),
});
type SwitchRequest = z.infer<typeof switchSchema>;

/** The same with the target `dataset`; dataset-api/README.md explains the fields. */
export const datasetSwitchSchema = z.strictObject({
  ...switchFields,
  target: z.literal('dataset'),
  mode: modeSchema([
    ...['429', '500', 'hang', 'cut', 'lost', 'unanswered', 'unlisted', 'fail_snapshot', 'slow', 'media_ttl', 'off'],
  ] as const),
  account: z.string().optional(),
  dataset: z.enum(['profiles', 'posts', 'reels']).optional(),
  step: z.enum(['trigger', 'list', 'progress', 'snapshot']).optional(),
  seconds: z.number().nonnegative().optional(),
  message: z.string().optional(),
});
export type DatasetSwitch = z.infer<typeof datasetSwitchSchema>;

export type Misbehaviour = SwitchRequest & {
  readonly mode: Exclude<SwitchRequest['mode'], 'off'>;
  readonly target: Target;
};

export interface Occasion {
  readonly step: NonNullable<DatasetSwitch['step']>;
  readonly dataset: NonNullable<DatasetSwitch['dataset']>;
  readonly accounts: readonly string[];
}

/** Switches, the newest first. One with `times` ends after that many requests. */
class SwitchList<Request extends { readonly times?: number | undefined }> {
  #active: readonly { readonly request: Request; readonly hits: number }[] = [];

  list(): readonly object[] {
    return this.#active.map(({ request: { times, ...rest }, hits }) => ({
      ...rest,
      times_left: times && times - hits,
      hits,
    }));
  }

  remove(isMeant: (one: Request) => boolean): void {
    this.#active = this.#active.filter(({ request }) => !isMeant(request));
  }

  protected add(request: Request): void {
    this.#active = [{ request, hits: 0 }, ...this.#active];
  }

  protected first(fits: (one: Request) => boolean): Request | undefined {
    const found = this.#active.find(({ request }) => fits(request));
    if (found === undefined) return undefined;
    const counted = { ...found, hits: found.hits + 1 };
    const rest = this.#active.map((one) => (one === found ? counted : one));
    this.#active = rest.filter(({ request, hits }) => request.times !== hits);
    return found.request;
  }
}

export class Switchboard extends SwitchList<Misbehaviour> {
  readonly #isVideo: (id: string) => boolean;

  constructor(isVideo: (id: string) => boolean) {
    super();
    this.#isVideo = isVideo;
  }

  /** @returns why the request is invalid; undefined when it was applied */
  set(request: SwitchRequest): string | undefined {
    const { mode, target, video } = request;
    if (video !== '*' && !this.#isVideo(video)) return `video: ${JSON.stringify(video)} is not in the catalogue`;
    if (mode === 'off') {
      this.remove((one) => (target ?? one.target) === one.target && (video === '*' || one.video === video));
      return undefined;
    }
    if (target === undefined) return `target: one of ${TARGETS.join(', ')} is needed`;
    if (target === 'api' && video !== '*') return 'video: the api is switched with *';
    if (target === 'api' ? !API_MODES.includes(mode) : ONLY_API_MODES.includes(mode))
      return `mode: ${mode} is not for ${target}; the api knows ${API_MODES.join(', ')}`;
    this.remove((one) => one.target === target && one.video === video);
    this.add({ ...request, target, mode });
    return undefined;
  }

  take(videoId: string, target: Target): Misbehaviour | undefined {
    const takeOf = (video: string): Misbehaviour | undefined =>
      this.first((one) => one.target === target && one.video === video);
    return takeOf(videoId) ?? takeOf('*');
  }
}

export class DatasetSwitches extends SwitchList<DatasetSwitch> {
  set(request: DatasetSwitch): void {
    if (request.mode !== 'off') this.add(request);
    else {
      this.remove(
        ({ account, dataset }) => (request.account ?? account) === account && (request.dataset ?? dataset) === dataset,
      );
    }
  }

  take(occasion: Occasion, modes: readonly DatasetSwitch['mode'][]): DatasetSwitch | undefined {
    return this.first(
      (one) =>
        modes.includes(one.mode) &&
        (one.step ?? occasion.step) === occasion.step &&
        (one.dataset ?? occasion.dataset) === occasion.dataset &&
        (one.account === undefined || occasion.accounts.includes(one.account)),
    );
  }
}

function modeSchema<const Modes extends readonly [string, ...string[]]>(modes: Modes) {
  return z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.enum(modes));
}

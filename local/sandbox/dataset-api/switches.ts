import { z } from 'zod';
import type { DatasetName } from './collect.ts';

const STEPS = ['trigger', 'progress', 'snapshot'] as const;
export type Step = (typeof STEPS)[number];

/** Body of POST /misbehave with the target `dataset`. */
export const datasetSwitchSchema = z.strictObject({
  target: z.literal('dataset'),
  mode: z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z.enum(['429', '500', 'hang', 'cut', 'lost', 'fail_snapshot', 'slow', 'media_ttl', 'off']),
  ),
  account: z.string().optional().describe('user name; without it, all'),
  dataset: z.enum(['profiles', 'posts', 'reels']).optional().describe('without it, all'),
  step: z.enum(STEPS).optional().describe('429, 500, hang: which request; without it, all three'),
  times: z.number().int().positive().optional().describe('how many requests; without it, until off'),
  retry_after_seconds: z.number().int().nonnegative().optional().describe('429, 500: Retry-After'),
  seconds: z.number().nonnegative().optional().describe('slow: how long it collects; media_ttl: how long links live'),
  message: z.string().max(500).optional().describe('fail_snapshot: the error_message'),
});
export type DatasetSwitch = z.infer<typeof datasetSwitchSchema>;
export type DatasetMode = Exclude<DatasetSwitch['mode'], 'off'>;

export interface ActiveDatasetSwitch extends DatasetSwitch {
  readonly times_left?: number | undefined;
  readonly hits: number;
}

/** A request, or a snapshot that is started. */
export interface Occasion {
  readonly step: Step;
  readonly dataset: DatasetName | undefined;
  readonly accounts: readonly string[];
}

export interface DatasetSwitches {
  set(request: DatasetSwitch): readonly ActiveDatasetSwitch[];
  list(): readonly ActiveDatasetSwitch[];
  off(): void;
  /** The newest switch of one of these modes that fits; counts it. */
  take(occasion: Occasion, modes: readonly DatasetMode[]): ActiveDatasetSwitch | undefined;
}

export function createDatasetSwitches(): DatasetSwitches {
  let switches: ActiveDatasetSwitch[] = [];
  return {
    set({ times, ...request }) {
      const sameScope = (other: ActiveDatasetSwitch): boolean =>
        (request.account === undefined || other.account === request.account) &&
        (request.dataset === undefined || other.dataset === request.dataset);
      if (request.mode === 'off') switches = switches.filter((other) => !sameScope(other));
      else switches = [{ ...request, times_left: times, hits: 0 }, ...switches];
      return switches;
    },
    list: () => switches,
    off() {
      switches = [];
    },
    take(occasion, modes) {
      const found = switches.find(
        (one) =>
          modes.some((mode) => mode === one.mode) &&
          (one.step === undefined || one.step === occasion.step) &&
          (one.dataset === undefined || one.dataset === occasion.dataset) &&
          (one.account === undefined || occasion.accounts.includes(one.account)),
      );
      if (found === undefined) return undefined;
      const left = found.times_left === undefined ? undefined : found.times_left - 1;
      const counted = { ...found, times_left: left, hits: found.hits + 1 };
      switches = switches.flatMap((one) => (one !== found ? one : left === 0 ? [] : counted));
      return found;
    },
  };
}

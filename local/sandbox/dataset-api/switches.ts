import { z } from 'zod';
import { modeSchema, switchFields, SwitchList } from '../switch-list.ts';
import type { DatasetName } from './collect.ts';

const STEPS = ['trigger', 'progress', 'snapshot'] as const;
/** Body of POST /misbehave with the target `dataset`. */
export const datasetSwitchSchema = z.strictObject({
  ...switchFields,
  target: z.literal('dataset'),
  mode: modeSchema(['429', '500', 'hang', 'cut', 'lost', 'fail_snapshot', 'slow', 'media_ttl', 'off']),
  account: z.string().optional().describe('user name; without it, all'),
  dataset: z.enum(['profiles', 'posts', 'reels']).optional().describe('without it, all'),
  step: z.enum(STEPS).optional().describe('429, 500, hang: which request; without it, all three'),
  seconds: z.number().nonnegative().optional().describe('slow: how long it collects; media_ttl: how long links live'),
  message: z.string().max(500).optional().describe('fail_snapshot: the error_message'),
});
export type DatasetSwitch = Omit<z.infer<typeof datasetSwitchSchema>, 'times'>;

/** A request, or a snapshot that is started. */
export interface Occasion {
  readonly step: (typeof STEPS)[number];
  readonly dataset: DatasetName;
  readonly accounts: readonly string[];
}

export class DatasetSwitches {
  readonly #switches = new SwitchList<DatasetSwitch>();

  list(): readonly object[] {
    return this.#switches.list();
  }

  /** Ends all. */
  off(): void {
    this.#switches.remove(() => true);
  }

  set({ times, ...wanted }: z.infer<typeof datasetSwitchSchema>): void {
    if (wanted.mode !== 'off') this.#switches.add(wanted, times);
    else {
      this.#switches.remove(
        ({ account, dataset }) => (wanted.account ?? account) === account && (wanted.dataset ?? dataset) === dataset,
      );
    }
  }

  /** The newest switch of one of these modes that fits; counts it. */
  take(occasion: Occasion, modes: readonly DatasetSwitch['mode'][]): DatasetSwitch | undefined {
    return this.#switches.take(
      (one) =>
        modes.includes(one.mode) &&
        (one.step ?? occasion.step) === occasion.step &&
        (one.dataset ?? occasion.dataset) === occasion.dataset &&
        (one.account === undefined || occasion.accounts.includes(one.account)),
    );
  }
}

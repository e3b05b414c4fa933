/** Where these prices are from, for a page. */
export const CLOUD_PRICES =
  'Temporal Cloud by [its list](https://docs.temporal.io/cloud/pricing), looked up in November 2026, the cheaper of its plans Developer and Business, above 200 million actions at the last published step';

/** Dollars for a million actions: each step up to so many millions a month. */
const STEPS: readonly (readonly [upToMillions: number, dollars: number])[] = [
  [5, 50],
  [10, 45],
  [20, 40],
  [50, 35],
  [100, 30],
  [Infinity, 25],
];
const HOURS = 744;
const RETAINED_DOLLARS_PER_GB_HOUR = 0.001_05;
/** What a plan takes of what is used; the Business plan at least its base fee, with a share of use in it. */
const PLAN_SHARE = 0.1;
const BUSINESS = { dollars: 500, actions: 2.5e6, retainedGb: 100 };

/** Dollars a month for actions by the steps. */
export function actionDollars(actions: number): number {
  let [dollars, from] = [0, 0];
  for (const [upTo, each] of STEPS) {
    dollars += Math.max(0, Math.min(actions / 1e6, upTo) - from) * each;
    from = upTo;
  }
  return dollars;
}

/** Dollars a month, by the cheaper plan. What is stored of running jobs is left out: a job runs for seconds. */
export function cloudDollars({ actions, retainedGb }: { actions: number; retainedGb: number }): number {
  const storage = (gb: number): number => Math.max(0, gb) * HOURS * RETAINED_DOLLARS_PER_GB_HOUR;
  const developer = (actions / 1e6) * (STEPS[0]?.[1] ?? NaN) + storage(retainedGb);
  const business = actionDollars(Math.max(0, actions - BUSINESS.actions)) + storage(retainedGb - BUSINESS.retainedGb);
  return Math.min(developer * (1 + PLAN_SHARE), business + Math.max(BUSINESS.dollars, business * PLAN_SHARE));
}

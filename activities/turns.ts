import type { Asker, PauseNotice, Route, Routes, UpstreamUse } from '../runtime/pacing.ts';

/** The limiters and the jobs that deal with them, as workflows that run somewhere. */
export interface Limiters {
  /** Asks a route's limiter for a turn; one that does not run is started. @returns its workflow ID */
  ask(route: Route, asker: Asker): Promise<string>;
  /** Tells a waiting job of a pause. @returns false when it has closed */
  tell(asker: Asker, notice: PauseNotice): Promise<boolean>;
  isOpen(asker: Asker): Promise<boolean>;
}

export interface TurnDeps {
  readonly limiters: Limiters;
  readonly routes: Routes;
}

export type TurnActivities = ReturnType<typeof createTurnActivities>;

/** Signals under way at once. */
const AT_ONCE = 20;

/** What jobs and limiters need of Temporal beyond their own histories. All may be repeated at will. */
export function createTurnActivities({ limiters, routes }: TurnDeps) {
  return {
    /** @returns which limiter will grant the turn */
    async askForTurn(request: { use: UpstreamUse; asker: Asker }): Promise<{ limiterId: string }> {
      return { limiterId: await limiters.ask(routes[request.use], request.asker) };
    },

    /** @returns the turns whose jobs have closed */
    tellParked: (news: { askers: readonly Asker[]; notice: PauseNotice }): Promise<string[]> =>
      failing(news.askers, (asker) => limiters.tell(asker, news.notice)),

    /** @returns the turns whose jobs have closed */
    findClosed: (turns: { askers: readonly Asker[] }): Promise<string[]> =>
      failing(turns.askers, (asker) => limiters.isOpen(asker)),
  };
}

async function failing(askers: readonly Asker[], check: (asker: Asker) => Promise<boolean>): Promise<string[]> {
  const turnIds: string[] = [];
  const rest = askers.values();
  const work = async (): Promise<void> => {
    for (const asker of rest) if (!(await check(asker))) turnIds.push(asker.turnId);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return turnIds;
}

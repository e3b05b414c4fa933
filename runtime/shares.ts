import type { RouteLimits } from './pacing.ts';
import { QUIET_ROUTE, withoutProbeBy, type RouteState } from './pauses.ts';

/** All that the workers of a service share of their pacing: one small document. */
export interface PacingState {
  /** In the order in which they came. */
  readonly members: readonly Member[];
  readonly routes: Readonly<Record<string, RouteState>>;
}

export interface Member {
  readonly id: string;
  /** Counts its renewals, and never begins anew. One that stands still belongs to a worker that is gone. */
  readonly beat: number;
  /**
   * By route that it serves the places that are its own, whether it uses them or not: all of them together are never more than
   * there are.
   */
  readonly places: Readonly<Record<string, number>>;
  /** It begins nothing any more. Older releases neither set nor read it, and keep it as it is. */
  readonly isLeaving?: boolean;
}

export const NOBODY: PacingState = { members: [], routes: {} };

/** What a member does with a route. */
export interface RouteUse {
  /** Places that are in use, also by those that only ask for a task. */
  readonly inUse: number;
  readonly running: number;
  /** When its own starts will have come back. */
  readonly dueMs: number;
}

export interface Renewal {
  readonly id: string;
  readonly beat: number;
  readonly isLeaving?: boolean;
  readonly limits: Readonly<Record<string, RouteLimits>>;
  readonly uses: Readonly<Record<string, RouteUse>>;
  /** Members that have shown no sign of life for as long as a lease lasts. */
  readonly dead: ReadonlySet<string>;
}

/**
 * The state after a member has renewed its lease. Its places are an equal part among those who serve the route (what is left
 * over goes to those who came first), less what others have not given back yet; what it uses already stays its own. Who was taken
 * for dead, or leaves, has lost all in which nothing runs.
 */
export function renewed(state: PacingState, { id, beat, isLeaving = false, limits, uses, dead }: Renewal): PacingState {
  const alive = state.members.filter((member) => !dead.has(member.id));
  const known = alive.find((member) => member.id === id);
  const own: Member = { id, beat, places: known?.places ?? {}, ...(isLeaving ? { isLeaving } : {}) };
  const members = known === undefined ? [...alive, own] : alive.map((member) => (member.id === id ? own : member));
  const others = members.filter((member) => member.id !== id);
  const places = Object.entries(limits).map(([route, { maxAtOnce }]) => {
    const fair = fairShare(members, { id, route, maxAtOnce });
    const taken = placesIn(others, route);
    const { inUse = 0, running = 0 } = uses[route] ?? {};
    const used = known === undefined || isLeaving ? running : inUse;
    return [route, Math.max(used, Math.min(fair, Math.max(0, maxAtOnce - taken)))] as const;
  });
  const me: Member = { ...own, places: Object.fromEntries(places) };
  const routes = Object.keys(limits).map((route) => {
    const before = withoutProbeOfGone(state.routes[route] ?? QUIET_ROUTE, members);
    return [route, { ...before, dueMs: Math.max(before.dueMs, uses[route]?.dueMs ?? 0) }] as const;
  });
  return {
    members: members.map((member) => (member.id === id ? me : member)),
    routes: { ...state.routes, ...Object.fromEntries(routes) },
  };
}

/** A probe is its worker's for as long as that one is a member: whoever looks at the route sees whether it is. */
function withoutProbeOfGone(route: RouteState, members: readonly Member[]): RouteState {
  const by = route.pause?.probe?.by;
  return by === undefined || members.some(({ id }) => id === by) ? route : withoutProbeBy(route, by);
}

/** Places of a member: those on record as its own, and the part of them in which it may begin anew. */
export interface Places {
  readonly held: number;
  readonly usable: number;
}

export function placesOf({ members }: PacingState, of: ShareOf): Places {
  const held = members.find(({ id }) => id === of.id)?.places[of.route] ?? 0;
  return { held, usable: Math.min(held, fairShare(members, of)) };
}

interface ShareOf {
  /** Of the member. */
  readonly id: string;
  readonly route: string;
  readonly maxAtOnce: number;
}

/**
 * Workers of other roles do not serve the route, and take no part of it. Nor do those that leave: the others share the places in
 * which nothing of theirs runs.
 */
function fairShare(members: readonly Member[], { id, route, maxAtOnce }: ShareOf): number {
  const serving = members.filter((member) => member.id === id || route in member.places);
  const staying = serving.filter((member) => member.isLeaving !== true);
  const index = staying.findIndex((member) => member.id === id);
  if (index < 0) return 0;
  const leaving = serving.filter((member) => member.isLeaving === true);
  const shared = Math.max(0, maxAtOnce - placesIn(leaving, route));
  return Math.floor(shared / staying.length) + (index < shared % staying.length ? 1 : 0);
}

function placesIn(members: readonly Member[], route: string): number {
  return members.reduce((sum, member) => sum + (member.places[route] ?? 0), 0);
}

/** The state without a member that stops. */
export function left(state: PacingState, id: string): PacingState {
  const routes = Object.entries(state.routes).map(([route, before]) => [route, withoutProbeBy(before, id)] as const);
  return { members: state.members.filter((member) => member.id !== id), routes: Object.fromEntries(routes) };
}

/** Who waits for a site asks it every few minutes: nobody is left who waits for one that was not asked for so long. */
const UNASKED_MS = 3_600_000;

/** Whether nobody would miss the state: it has no member, and nothing to wait for or to remember. */
export function isForgettable({ members, routes }: PacingState, nowMs: number): boolean {
  const isPast = ({ pause, pastPause, dueMs }: RouteState): boolean =>
    nowMs >= (pause === undefined ? 0 : pause.untilMs + UNASKED_MS) &&
    dueMs <= nowMs &&
    nowMs >= (pastPause?.endedMs ?? 0) + (pastPause?.lengthMs ?? 0);
  return members.length === 0 && Object.values(routes).every(isPast);
}

/** Where workers keep what they share; changed only by who knows its newest version. */
export interface PacingStore {
  /** Of all that are kept. */
  ids(): Promise<readonly string[]>;
  read(id: string): Promise<Versioned | undefined>;
  /** @param version of what is replaced, 0 where there is nothing. @returns false when somebody else has changed it */
  replace(id: string, version: number, state: PacingState): Promise<boolean>;
  /** @param version of what is removed. @returns false when somebody else has changed it */
  remove(id: string, version: number): Promise<boolean>;
}

export interface Versioned {
  readonly version: number;
  readonly state: PacingState;
}

/** ID of what workers share: of all routes, or of one site. The queue is part of it: services that share a database have workers of their own. */
export function pacingIdOf(taskQueue: string, site?: string): string {
  return site === undefined ? taskQueue : `${taskQueue}/${site}`;
}

import { openedByOperator, type Breaker } from './breaker.ts';

export const DAY_MS = 86_400_000;

/** @returns the circuit breaker of a route outside its hours, open until they begin; undefined within them */
export function outsideHours(hours: string, nowMs: number): Breaker | undefined {
  const [from = 0, to = 0] = hours.split('-').map((time) => Date.parse(`1970-01-01T${time}Z`));
  const spanMs = (from - to + DAY_MS) % DAY_MS;
  const passedMs = (nowMs - to) % DAY_MS;
  if (passedMs >= spanMs) return undefined;
  return openedByOperator(`The operator allows the use of this platform only during ${hours} (UTC).`, {
    ...{ spanMs, nowMs: nowMs - passedMs },
  });
}

/** @returns the circuit breaker of a route whose starts of the day are used up, open until midnight */
export function usedUp(startsPerDay: number, nowMs: number): Breaker {
  const reason = `The operator allows ${startsPerDay} requests a day (UTC) to this platform, which are used up.`;
  return openedByOperator(reason, { spanMs: DAY_MS - (nowMs % DAY_MS), nowMs });
}

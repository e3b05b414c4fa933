import type { AccountResult } from '../../../contract/http/account-schemas.ts';

const DAY_MS = 86_400_000;

export interface Day {
  /** `YYYY-MM-DD` in UTC. */
  readonly day: string;
  readonly startMs: number;
  /** The amount in thousandths of a credit, so that sums stay exact. */
  readonly amount: number;
  readonly count: number;
}

/** Returns the spending of each of the last days, including days without any, oldest first. */
export function byDay(entries: AccountResult['entries'], days: number, nowMs: number): readonly Day[] {
  const today = Math.floor(nowMs / DAY_MS);
  const sums = new Map<string, { amount: number; count: number }>();
  for (const { amount, booked_at: time } of entries) {
    const day = time.slice(0, 10);
    const sum = sums.get(day) ?? { amount: 0, count: 0 };
    sums.set(day, { amount: sum.amount + Math.round(Number(amount) * 1000), count: sum.count + 1 });
  }
  return Array.from({ length: days }, (_, index) => {
    const startMs = (today - days + 1 + index) * DAY_MS;
    const day = new Date(startMs).toISOString().slice(0, 10);
    return { day, startMs, ...(sums.get(day) ?? { amount: 0, count: 0 }) };
  });
}

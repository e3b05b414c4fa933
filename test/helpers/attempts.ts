import { expect, type Mock } from 'vitest';

/** Notes the server's time at each attempt. @returns the seconds between them */
export function watchAttempts<Args extends unknown[], Result>(
  activity: Mock<(...args: Args) => Promise<Result>>,
  nowMs: () => Promise<number>,
  work: (...args: Args) => Promise<Result>,
): readonly number[] {
  const waits: number[] = [];
  let lastMs: number | undefined;
  activity.mockImplementation(async (...args) => {
    const ms = await nowMs();
    if (lastMs !== undefined) waits.push((ms - lastMs) / 1000);
    lastMs = ms;
    return work(...args);
  });
  return waits;
}

/** The server's clock goes on while it skips nothing: a wait may seem longer by what the machine took. */
export function expectWaits(waits: readonly number[], seconds: readonly number[]): void {
  expect(waits.map((wait, index) => wait >= seconds[index]! - 0.1 && wait < seconds[index]! + 1.8)).toEqual(
    seconds.map(() => true),
  );
}

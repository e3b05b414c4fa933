import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface AwaitEngineOptions {
  /** For people, such as `MongoDB`. */
  readonly name: string;
  /** The setting that says where it is. */
  readonly setting: string;
  readonly timeoutMs: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Whether waiting will not help, as with a wrong password. */
  readonly isFinal?: (error: unknown) => boolean;
}

/** An engine did not answer in time; the message names it and its setting. */
export class EngineAwayError extends Error {
  override readonly name = 'EngineAwayError';
}

const RETRY_MS = 500;
const TELL_EVERY_MS = 5_000;

/**
 * Reaches an engine, and waits for it while it starts: those of a host come up in any order.
 *
 * @throws EngineAwayError when the time is over, or waiting will not help
 */
export async function awaitEngine<Reached>(
  { name, setting, timeoutMs, log, isFinal = () => false }: AwaitEngineOptions,
  reach: () => Promise<Reached>,
): Promise<Reached> {
  const beginMs = performance.now();
  for (let toldMs = -Infinity; ;) {
    try {
      const reached = await reach();
      if (toldMs > 0) log.info(`${name} answers`);
      return reached;
    } catch (error) {
      const waitedMs = performance.now() - beginMs;
      if (waitedMs + RETRY_MS > timeoutMs || isFinal(error)) {
        const seconds = Math.round(waitedMs / 1000);
        throw new EngineAwayError(`${setting}: ${name} cannot be used, after ${seconds} s: ${reasonOf(error)}`, {
          cause: error,
        });
      }
      if (performance.now() - toldMs >= TELL_EVERY_MS) {
        toldMs = performance.now();
        log.warn(`waiting for ${name} (${setting}), for up to ${Math.round(timeoutMs / 1000)} s: ${reasonOf(error)}`);
      }
      await delay(RETRY_MS);
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';

interface AwaitEngineOptions {
  /** The name for messages, such as `MongoDB`. */
  readonly name: string;
  readonly setting: string;
  readonly timeoutMs: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Whether an error will not go away, such as a wrong password. */
  readonly isFinal?: (error: unknown) => boolean;
}

const RETRY_MS = 500;
/** Engines that start with this process are ready soon. */
const FIRST_RETRY_MS = 50;
const LOG_INTERVAL_MS = 5_000;

/**
 * Connects to an engine, and retries while it starts, because the processes of a host start in any order.
 *
 * @throws Error with the engine and its setting, after `timeoutMs`, or at once for a final error
 */
export async function awaitEngine<Reached>(
  { name, setting, timeoutMs, log, isFinal = () => false }: AwaitEngineOptions,
  reach: () => Promise<Reached>,
): Promise<Reached> {
  const startedMs = performance.now();
  for (let loggedMs = -Infinity; ;) {
    try {
      const reached = await reach();
      if (loggedMs > 0) log.info(`${name} answers`);
      return reached;
    } catch (error) {
      const waitedMs = performance.now() - startedMs;
      if (waitedMs + RETRY_MS > timeoutMs || isFinal(error)) {
        const seconds = Math.round(waitedMs / 1000);
        throw new Error(`${setting}: ${name} cannot be used, after ${seconds} s: ${reasonOf(error)}`, {
          cause: error,
        });
      }
      if (performance.now() - loggedMs >= LOG_INTERVAL_MS) {
        loggedMs = performance.now();
        log.warn(`waiting for ${name} (${setting}), for up to ${Math.round(timeoutMs / 1000)} s: ${reasonOf(error)}`);
      }
      await delay(Math.min(RETRY_MS, FIRST_RETRY_MS + waitedMs / 4));
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

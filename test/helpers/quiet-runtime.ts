import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/**
 * Lets Temporal tell of errors alone. Many test files have one process, and its runtime ends only when whatever uses it has
 * been closed: what a file before has left open may still have one, which was installed by this function too.
 */
export function quietRuntime(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR') });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}

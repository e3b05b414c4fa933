import { TestWorkflowEnvironment } from '@temporalio/testing';
import { inject } from 'vitest';
import { addSearchAttributes } from './search-attributes.ts';

/** The SDK gives the server 5 seconds to start, a Java program on a machine that may be busy with all other tests. */
const START_MS = 90_000;

/** A Temporal server that skips time while a result is awaited. */
export async function startTimeSkipping(executable = inject('timeSkippingServer')): Promise<TestWorkflowEnvironment> {
  const deadlineMs = performance.now() + START_MS;
  for (;;) {
    try {
      const env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
      await addSearchAttributes(env.connection);
      return env;
    } catch (error) {
      if (performance.now() > deadlineMs || !String(error).includes('did not start within')) throw error;
    }
  }
}

import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../visibility.ts';

const ALREADY_EXISTS = 6;
/** INDEXED_VALUE_TYPE_KEYWORD of the Temporal API. */
const KEYWORD = 2;

/**
 * Registers what jobs are found by, unless it is registered already.
 *
 * @throws Error naming the attributes when the cluster does not allow it (Temporal Cloud: its own console does that)
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(SEARCH_ATTRIBUTES).filter((name) => !(name in customAttributes));
  if (missing.length === 0) return;
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
  try {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    // Another process of the service was quicker.
    if ((error as { code?: unknown }).code === ALREADY_EXISTS) return;
    throw new Error(
      `Cannot register search attributes ${missing.join(', ')} (type Keyword) in namespace ${namespace}`,
      {
        cause: error,
      },
    );
  }
}

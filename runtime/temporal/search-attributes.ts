import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../visibility.ts';

const ALREADY_EXISTS = 6;
/** INDEXED_VALUE_TYPE_KEYWORD of the Temporal API. */
const KEYWORD = 2;
const NAMES = Object.values(SEARCH_ATTRIBUTES);

/**
 * Registers what jobs are found by, unless it is registered already. A server refuses workflows with attributes that it does
 * not know, so api and worker begin only when it does.
 *
 * @throws Error naming the attributes when the cluster does not allow it (Temporal Cloud: its own console does that)
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = NAMES.filter((name) => !(name in customAttributes));
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
  try {
    if (missing.length > 0) await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    // Another process of the service was quicker.
    if ((error as { code?: unknown }).code !== ALREADY_EXISTS) throw refusalOf(missing, namespace, error);
  }
}

/** Each server of a cluster learns of new ones within seconds. @throws Error when this one has not yet: it will soon */
export async function checkSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const query = NAMES.map((name) => `${name} = 'none'`).join(' OR ');
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
  } catch (error) {
    // Without its cause, which would say that waiting does not help.
    throw new Error(`Search attributes that are registered are not known everywhere yet: ${String(error)}`);
  }
}

function refusalOf(missing: readonly string[], namespace: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const each = missing.map((name) => `--name ${name} --type Keyword`).join(' ');
  return new Error(
    `Namespace ${namespace} lacks search attributes, and does not let us register them (${reason}). Register them: ` +
      `temporal operator search-attribute create --namespace ${namespace} ${each}`,
    { cause },
  );
}

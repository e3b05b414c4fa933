import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from './visibility.ts';

const INVALID_ARGUMENT = 3;
const ALREADY_EXISTS = 6;
/** PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED: Temporal Cloud opens the operators' service to no client. */
const NOT_FOR_CLIENTS: readonly unknown[] = [7, 12, 16];
/** INDEXED_VALUE_TYPE_KEYWORD of the Temporal API. */
const KEYWORD = 2;
const NAMES = Object.values(SEARCH_ATTRIBUTES);

/**
 * Registers what jobs are found by, unless it is registered already. A server refuses workflows with attributes that it does
 * not know, so api and worker begin only when it does.
 *
 * @returns false where the server does not tell which there are: {@link checkSearchAttributes} finds out
 * @throws Error naming the attributes when the cluster does not allow it
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<boolean> {
  const { operatorService } = connection;
  const listed = await operatorService.listSearchAttributes({ namespace }).catch((error: unknown) => {
    if (NOT_FOR_CLIENTS.includes(codeOf(error))) return undefined;
    throw error;
  });
  if (listed === undefined) return false;
  const missing = NAMES.filter((name) => !(name in listed.customAttributes));
  const searchAttributes = Object.fromEntries(missing.map((name) => [name, KEYWORD]));
  try {
    if (missing.length > 0) await operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    // Another process of the service was quicker.
    if (codeOf(error) !== ALREADY_EXISTS) throw refusalOf(missing, namespace, error);
  }
  return true;
}

/**
 * Each server of a cluster learns of new ones within seconds.
 *
 * @param areRegistered what {@link registerSearchAttributes} returned
 * @throws Error when this one has not yet: it will soon; where they are not registered, for good
 */
export async function checkSearchAttributes(
  connection: Connection,
  namespace: string,
  areRegistered: boolean,
): Promise<void> {
  const query = NAMES.map((name) => `${name} = 'none'`).join(' OR ');
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace, query });
  } catch (error) {
    if (!areRegistered) throw codeOf(error) === INVALID_ARGUMENT ? refusalOf(NAMES, namespace, error) : error;
    // Without its cause, which would say that waiting does not help.
    throw new Error(`Search attributes that are registered are not known everywhere yet: ${String(error)}`);
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

function refusalOf(missing: readonly string[], namespace: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const each = missing.map((name) => `--name ${name} --type Keyword`).join(' ');
  const inCloud = missing.map((name) => `--search-attribute ${name}=Keyword`).join(' ');
  return new Error(
    `Namespace ${namespace} lacks search attributes, and does not let us register them (${reason}). Register them: ` +
      `temporal operator search-attribute create --namespace ${namespace} ${each}; in Temporal Cloud: ` +
      `tcld namespace search-attributes add --namespace ${namespace} ${inCloud}`,
    { cause },
  );
}

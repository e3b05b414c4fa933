import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from './visibility.ts';

const INVALID_ARGUMENT = 3;
const ALREADY_EXISTS = 6;
/** PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED: clients of Temporal Cloud cannot use the operator service. */
const NOT_FOR_CLIENTS: readonly unknown[] = [7, 12, 16];
/** INDEXED_VALUE_TYPE_KEYWORD of the Temporal API. */
const KEYWORD = 2;
const NAMES = Object.values(SEARCH_ATTRIBUTES);

/**
 * Registers the missing search attributes. A server refuses workflows with unknown ones, so api and worker start afterwards.
 *
 * @returns false if the server does not allow a client to list them; {@link checkSearchAttributes} then finds missing ones
 * @throws Error with the attributes if the server does not allow their registration
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
    // Another process may have registered them meanwhile.
    if (codeOf(error) !== ALREADY_EXISTS) throw missingAttributesError(missing, namespace, error);
  }
  return true;
}

/**
 * Checks that this server knows the search attributes. Registration reaches each server of a cluster within seconds.
 *
 * @param areRegistered the result of {@link registerSearchAttributes}
 * @throws Error if it does not know them; the error is final if they are not registered
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
    if (!areRegistered)
      throw codeOf(error) === INVALID_ARGUMENT ? missingAttributesError(NAMES, namespace, error) : error;
    // The cause is left out, because its code would make the error final.
    throw new Error(`A Temporal server does not know the registered search attributes yet: ${String(error)}`);
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

function missingAttributesError(missing: readonly string[], namespace: string, cause: unknown): Error {
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

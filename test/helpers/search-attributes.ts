import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../runtime/temporal/visibility.ts';

/** For the server that skips time, which can be told of search attributes and not be asked which it has. */
export async function addSearchAttributes(connection: Connection): Promise<void> {
  const searchAttributes = Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 2]));
  await connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
}

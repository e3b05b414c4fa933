import { Client, Connection } from '@temporalio/client';
import { connectionOptions, orUnreachable, type TemporalSettings } from './connection.ts';
import { registerSearchAttributes } from './search-attributes.ts';

/** gRPC codes that no waiting mends: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const FINAL_CODES: readonly unknown[] = [3, 7, 12, 16];

/** A client of a server that knows our search attributes. @throws TemporalUnreachableError, or what the registration throws */
export async function openTemporal(settings: TemporalSettings): Promise<Client> {
  const connection = await orUnreachable(settings.address, Connection.connect(connectionOptions(settings)));
  try {
    await registerSearchAttributes(connection, settings.namespace);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return new Client({ connection, namespace: settings.namespace });
}

/** Whether the server has answered, and will not answer otherwise later. */
export function isFinalRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && FINAL_CODES.includes(cause.code)) return true;
  }
  return false;
}

import { Connection, type ClientInterceptors } from '@temporalio/client';
import { connectionOptions, orUnreachable, type TemporalSettings } from './temporal-connection.ts';
import { clientOver, type LastingClient } from './replaced-connection.ts';
import { checkSearchAttributes, registerSearchAttributes } from './search-attributes.ts';

const CHANNEL = {
  // By default gRPC waits up to two minutes before it looks again: after a minute away, it was back 32 s late.
  'grpc.initial_reconnect_backoff_ms': 500,
  'grpc.max_reconnect_backoff_ms': 3_000,
  // A connection that hangs without a word is given up after 20 s; by default after 45 s. Temporal's frontend closes
  // connections that ping more often than every 10 s.
  'grpc.keepalive_time_ms': 15_000,
  'grpc.keepalive_timeout_ms': 5_000,
  // Otherwise a connection that is to replace another one would wait for the same attempt to connect.
  'grpc.use_local_subchannel_pool': 1,
};
/** gRPC codes that no waiting mends: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const FINAL_CODES: readonly unknown[] = [3, 7, 12, 16];

/** A client of a server that knows our search attributes. @throws TemporalUnreachableError, or what the registration throws */
export async function openTemporal(
  settings: TemporalSettings,
  interceptors?: ClientInterceptors,
): Promise<LastingClient> {
  const options = { ...connectionOptions(settings), channelArgs: CHANNEL };
  const connecting = Connection.connect(options);
  const connection = await orUnreachable(settings.address, connecting);
  try {
    const areRegistered = await registerSearchAttributes(connection, settings.namespace);
    await checkSearchAttributes(connection, settings.namespace, areRegistered);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return clientOver(connection, {
    namespace: settings.namespace,
    interceptors,
    ...(settings.payloadCodec && { dataConverter: { payloadCodecs: [settings.payloadCodec] } }),
    reopen: () => Connection.lazy(options),
  });
}

/** Whether the server has answered, and will not answer otherwise later. */
export function isFinalRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && FINAL_CODES.includes(cause.code)) return true;
  }
  return false;
}

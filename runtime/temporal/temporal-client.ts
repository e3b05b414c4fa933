import {
  Connection,
  type ClientInterceptors,
  type TLSConfig,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import { optional } from '../optional.ts';
import { createReconnectingClient, type ReconnectingClient } from './reconnecting-client.ts';
import { checkSearchAttributes, registerSearchAttributes } from './search-attributes.ts';
import { InterceptingCall, Metadata, status, type Interceptor } from '@grpc/grpc-js';

/**
 * Ends a call on a closed connection with the status CANCELLED. gRPC throws instead, and the SDK's retries run in timers, whose
 * errors nothing can catch.
 */
const cancelWhenClosed: Interceptor = (options, nextCall) => {
  try {
    return new InterceptingCall(nextCall(options));
  } catch (error) {
    return new InterceptingCall(null as never, {
      start(_metadata, listener) {
        // Each call of gRPC delivers a message before its status; the SDK's retries depend on it.
        listener.onReceiveMessage(null);
        listener.onReceiveStatus({ code: status.CANCELLED, details: String(error), metadata: new Metadata() });
      },
      cancel() {
        // The call has ended already.
      },
    });
  }
};

/** The interceptors of each connection of a client: the retries of the SDK, which end when the connection is closed. */
export const grpcInterceptors: readonly Interceptor[] = [
  makeGrpcRetryInterceptor(defaultGrpcRetryOptions()),
  cancelWhenClosed,
];

/** How to reach Temporal, for the client and for the connection of workers. */
export interface TemporalSettings {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string | undefined;
  /** An object sets certificates or a server name; `true` uses those of the system and the address. */
  readonly tls: boolean | TLSConfig;
  /** Encrypts payloads; absent if they are not encrypted. */
  readonly payloadCodec?: PayloadCodec | undefined;
}

/** Waits for a connection. @throws Error with the setting if Temporal does not respond */
export async function orUnreachable<Connected>(address: string, connecting: Promise<Connected>): Promise<Connected> {
  try {
    return await connecting;
  } catch (error) {
    throw new Error(`TEMPORAL_ADDRESS: Temporal does not answer at ${address}`, { cause: error });
  }
}

/** @returns options for both kinds of connection of the SDK. An API key requires TLS. */
export function connectionOptions({ address, tls, apiKey }: TemporalSettings) {
  return { address, tls: tls === false ? apiKey !== undefined : tls, ...optional('apiKey', apiKey) };
}

const CHANNEL = {
  // The default of gRPC is up to two minutes between attempts to reconnect.
  'grpc.initial_reconnect_backoff_ms': 500,
  'grpc.max_reconnect_backoff_ms': 3_000,
  // A connection without a response is closed after 20 s; by default after 45 s. Temporal closes connections that send pings
  // more often than every 10 s.
  'grpc.keepalive_time_ms': 15_000,
  'grpc.keepalive_timeout_ms': 5_000,
  // Otherwise a new connection would wait for the connection attempt of the one that it replaces.
  'grpc.use_local_subchannel_pool': 1,
};
/** The gRPC codes of final errors: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const FINAL_CODES: readonly unknown[] = [3, 7, 12, 16];

/** Opens a client, and makes sure that the server knows the search attributes. @throws Error with the setting */
export async function openTemporal(
  settings: TemporalSettings,
  interceptors?: ClientInterceptors,
): Promise<ReconnectingClient> {
  const options = { ...connectionOptions(settings), channelArgs: CHANNEL, interceptors: [...grpcInterceptors] };
  const connection = await orUnreachable(settings.address, Connection.connect(options));
  try {
    const areRegistered = await registerSearchAttributes(connection, settings.namespace);
    await checkSearchAttributes(connection, settings.namespace, areRegistered);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return createReconnectingClient(connection, {
    namespace: settings.namespace,
    ...optional('interceptors', interceptors),
    ...(settings.payloadCodec && { dataConverter: { payloadCodecs: [settings.payloadCodec] } }),
    reopen: () => Connection.lazy(options),
  });
}

/** @returns whether the server refused a call for a reason that will not go away */
export function isFinalRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && FINAL_CODES.includes(cause.code)) return true;
  }
  return false;
}

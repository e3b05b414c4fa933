import { Client, isGrpcDeadlineError, type ClientInterceptors, type Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';

export interface ReplacementOptions {
  readonly namespace: string;
  /** Makes another connection, without waiting for the server. It must share nothing with earlier ones (`grpc.use_local_subchannel_pool`). */
  readonly reopen: () => Connection;
  /** Between two looks at a server that answers, and the limit of each, in milliseconds. */
  readonly pingMs?: number;
  readonly interceptors?: ClientInterceptors | undefined;
  readonly dataConverter?: DataConverter;
}

export interface LastingClient {
  readonly client: Client;
  readonly close: () => Promise<void>;
}

const PING_MS = 5_000;
const SILENT_PINGS = 3;
/** Longer than any call: one that is repeated on a closed connection throws where nobody can catch it. */
const CLOSED_AFTER_MS = 120_000;

/**
 * A client whose connection is replaced after three calls in a row without an answer, 15 to 20 s.
 *
 * A connection that was established is given up by its keep-alive. But grpc-js (1.14) waits without a limit for the first
 * words of a server that has taken a connection, so one attempt at a dead line would last until the process is started
 * again.
 */
export function clientOver(
  first: Connection,
  { namespace, reopen, pingMs = PING_MS, interceptors = {}, dataConverter = {} }: ReplacementOptions,
): LastingClient {
  let current = new Client({ connection: first, namespace, interceptors, dataConverter });
  let isClosing = false;
  // One for each call: the SDK leaves its listener behind on the signal that it is given.
  let asking = new AbortController();
  let silentPings = 0;

  const replace = (): void => {
    const { connection } = current;
    current = new Client({ connection: reopen(), namespace, interceptors, dataConverter });
    setTimeout(() => void connection.close(), CLOSED_AFTER_MS).unref();
  };
  const ping = async (): Promise<void> => {
    const { connection } = current;
    asking = new AbortController();
    try {
      await connection.withAbortSignal(asking.signal, () =>
        connection.withDeadline(Date.now() + pingMs, () => connection.workflowService.getSystemInfo({})),
      );
      silentPings = 0;
    } catch (error) {
      // A server that refuses is heard, and is left to grpc-js.
      silentPings = isGrpcDeadlineError(error) ? silentPings + 1 : 0;
    }
    if (isClosing) return;
    if (silentPings >= SILENT_PINGS) {
      silentPings = 0;
      replace();
    }
    next();
  };
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => void (timer = setTimeout(() => void ping(), silentPings === 0 ? pingMs : 0).unref());
  next();
  return {
    client: new Proxy(current, { get: (_first, key) => Reflect.get(current, key) as unknown }),
    close: async () => {
      isClosing = true;
      asking.abort();
      clearTimeout(timer);
      await current.connection.close();
    },
  };
}

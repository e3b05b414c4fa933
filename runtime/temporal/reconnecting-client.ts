import { Client, isGrpcDeadlineError, type ClientOptions, type Connection } from '@temporalio/client';

interface ReconnectOptions extends ClientOptions {
  /** Creates a connection without waiting for the server. It must not share a channel with others (`grpc.use_local_subchannel_pool`). */
  readonly reopen: () => Connection;
  /** Interval and timeout of the pings. */
  readonly pingMs?: number;
}

export type ReconnectingClient = ReturnType<typeof createReconnectingClient>;

const PING_MS = 5_000;
const MAX_TIMEOUTS = 3;
/** Longer than any call, so that those on the connection that was replaced can end. */
const CLOSE_AFTER_MS = 120_000;

/**
 * Creates a client that replaces its connection after three pings without a response, which takes 15 to 20 s.
 *
 * The keep-alive closes an established connection. But grpc-js (1.14) waits without a limit for the first frame of a server that
 * accepted a connection, so one connection attempt over a dead network would last until the process restarts.
 */
export function createReconnectingClient(
  first: Connection,
  { reopen, pingMs = PING_MS, ...options }: ReconnectOptions,
) {
  let current = new Client({ ...options, connection: first });
  let isClosing = false;
  // Each call has its own controller, because the SDK never removes its listener from the signal.
  let pinging = new AbortController();
  let timeouts = 0;

  const replace = (): void => {
    const { connection } = current;
    current = new Client({ ...options, connection: reopen() });
    setTimeout(() => void connection.close(), CLOSE_AFTER_MS).unref();
  };
  const ping = async (): Promise<void> => {
    const { connection } = current;
    pinging = new AbortController();
    try {
      await connection.withAbortSignal(pinging.signal, () =>
        connection.withDeadline(Date.now() + pingMs, () => connection.workflowService.getSystemInfo({})),
      );
      timeouts = 0;
    } catch (error) {
      // Any other error is a response of the server, or is handled by grpc-js.
      timeouts = isGrpcDeadlineError(error) ? timeouts + 1 : 0;
    }
    if (isClosing) return;
    if (timeouts >= MAX_TIMEOUTS) {
      timeouts = 0;
      replace();
    }
    schedulePing();
  };
  let timer: NodeJS.Timeout | undefined;
  const schedulePing = (): void => void (timer = setTimeout(() => void ping(), timeouts === 0 ? pingMs : 0).unref());
  schedulePing();
  return {
    client: new Proxy(current, { get: (_first, key) => Reflect.get(current, key) as unknown }),
    close: async (): Promise<void> => {
      isClosing = true;
      pinging.abort();
      clearTimeout(timer);
      await current.connection.close();
    },
  };
}

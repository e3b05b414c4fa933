import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink, type TRPCClient } from '@trpc/client';
import { Agent, EventSource, type Dispatcher } from 'undici';
import type { Procedures } from './generated/rpc.gen.ts';
import type { RouterOf } from './rpc-types.ts';

export type AppRouter = RouterOf<Procedures>;

/**
 * Creates a typed client of the tRPC API for services in the same network, under Node.
 * @param url such as http://127.0.0.1:3001
 * @param options.token the service's RPC_TOKEN
 */
export function createRpcClient(url: string, { token }: { readonly token: string }): TRPCClient<AppRouter> {
  const headers = { authorization: `Bearer ${token}` };
  const eventSourceOptions = { node: { dispatcher: sending(headers) } };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({ url, EventSource, eventSourceOptions }),
        false: httpLink({ url, headers }),
      }),
    ],
  });
}

/** Adds headers to event streams, because a standard `EventSource` accepts none. */
function sending(own: Readonly<Record<string, string>>): Dispatcher {
  return new Agent().compose((dispatch) => (options, handler) => {
    const headers = { ...(options.headers as Readonly<Record<string, string>>), ...own };
    return dispatch({ ...options, headers }, handler);
  });
}

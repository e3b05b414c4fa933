import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client';
import type { AppRouter } from './rpc.ts';

/**
 * A typed client of the tRPC facade, for services beside this one.
 *
 * @param url such as http://127.0.0.1:3001
 * @param options.token the service's RPC_TOKEN
 */
export function createRpcClient(url: string, { token }: { readonly token: string }): TRPCClient<AppRouter> {
  const headers = { Authorization: `Bearer ${token}` };
  return createTRPCClient<AppRouter>({ links: [httpLink({ url, headers })] });
}

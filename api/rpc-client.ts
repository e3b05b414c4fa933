import { createTRPCClient, httpLink, type TRPCClient } from '@trpc/client';
import type { AppRouter } from './rpc.ts';

/** A typed client of the tRPC facade, for services beside this one. @param url such as http://127.0.0.1:3001 */
export function createRpcClient(url: string): TRPCClient<AppRouter> {
  return createTRPCClient<AppRouter>({ links: [httpLink({ url })] });
}

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { TRPCError } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { ERROR_TABLE } from '../../contract/http/api-error.ts';
import { REQUEST_BODY_MAX_BYTES } from '../../contract/request-limits.ts';
import { addressGroup } from '../../outbound/addresses.ts';
import type { Tracing } from '../../runtime/telemetry/tracing.ts';
import { isSameSecret, unauthorized } from '../access/authenticate.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { CONNECTION_LIMITS, guardConnections, serverOptions, type ConnectionLimits } from '../edge/connections.ts';
import { SECURITY_HEADERS } from '../edge/security-headers.ts';
import { refuseEncoding } from '../http/read-request.ts';
import { toApiError } from '../http/to-api-error.ts';
import type { OnAnswered } from '../api-metrics.ts';
import { forRequest, REQUEST_ID, requestIdFrom } from '../http/request-id.ts';
import { traceHeadersIn } from '../http/request-traces.ts';
import { createRpcStreams } from './rpc-streams.ts';
import { appRouter } from './rpc-router.ts';

interface RpcOptions {
  /** The bearer token, which is required on loopback too, because any program and any page reaches a port there. */
  readonly token: string;
  readonly connections?: ConnectionLimits;
  readonly onAnswered?: OnAnswered | undefined;
  readonly tracing?: Tracing | undefined;
}

/** The calls of a request run concurrently. */
const BATCH_MAX_CALLS = 10;

/** The tRPC server, which does not listen yet. Its callers are internal services without keys, limits and charges. */
export function createRpcServer(deps: ServiceDeps, options: RpcOptions): Server {
  const { connections = CONNECTION_LIMITS } = options;
  const ids = new WeakMap<IncomingMessage, string>();
  const handle = createHTTPHandler({
    router: appRouter,
    createContext({ req, res }) {
      try {
        admit(req, options);
        if (req.method === 'POST') refuseEncoding(req.headers['content-encoding']);
      } catch (error) {
        const cause = toApiError(error);
        for (const [name, value] of Object.entries(cause.extras.headers ?? {})) res.setHeader(name, value);
        throw new TRPCError({ code: ERROR_TABLE[cause.code].trpc, message: cause.message, cause });
      }
      const own = forRequest(deps, ids.get(req));
      const streams = createRpcStreams(res, { ...own, caller: `service ${addressGroup(req.socket.remoteAddress)}` });
      const { onAnswered, tracing } = options;
      const inSpan =
        tracing &&
        (<Result>(name: string, work: () => Promise<Result>): Promise<Result> =>
          tracing.inSpan({ name, kind: 'server', headers: traceHeadersIn((one) => req.headers[one]) }, work));
      return { deps: own, streams, onAnswered, inSpan };
    },
    maxBodySize: REQUEST_BODY_MAX_BYTES,
    maxBatchSize: BATCH_MAX_CALLS,
  });
  const server = createServer(serverOptions(connections), (request, response) => {
    const id = requestIdFrom(request.headers[REQUEST_ID.toLowerCase()]);
    ids.set(request, id);
    response.setHeader(REQUEST_ID, id);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    handle(request, response);
  });
  guardConnections(server, connections);
  return server;
}

function admit(request: IncomingMessage, { token }: RpcOptions): void {
  const [, sent] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  if (sent === undefined || !isSameSecret(sent, token))
    throw unauthorized('The token of the service (RPC_TOKEN) is needed.');
}

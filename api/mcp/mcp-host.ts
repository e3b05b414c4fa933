import { createMcpHandler } from '@modelcontextprotocol/server';
import { HTTPResponse, type EventHandler, type H3Event } from 'h3';
import { scopes } from '../../contract/http/account-schemas.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { BATCH_BODY_MAX_BYTES } from '../../contract/request-limits.ts';
import { identityOf, rateLimitKeyOf } from '../access/access-middleware.ts';
import type { OnAnswered } from '../api-metrics.ts';
import { optional } from '../../runtime/optional.ts';
import { EVENT_STREAM } from '../edge/answer-budget.ts';
import { readJsonBody } from '../http/read-request.ts';
import { forRequest, requestIdOf } from '../http/request-id.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { mcpServer } from './mcp-server.ts';
import type { Tool } from './tools.ts';

export const MCP_PATH = '/mcp';
/** RFC 9728: where clients look for how to get access; the path of the resource may follow. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

const BODY = { maxBodyBytes: BATCH_BODY_MAX_BYTES };

interface McpHostOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly onAnswered?: OnAnswered | undefined;
}

/** The MCP server, by streamable HTTP. It keeps nothing between requests, so any process of the api answers any of them. */
export function mcpHost(deps: ServiceDeps, { tools, onAnswered }: McpHostOptions): EventHandler {
  const { fetch } = createMcpHandler(
    ({ authInfo }) => {
      const event = authInfo?.extra?.['event'] as H3Event;
      return mcpServer(tools, { deps: forRequest(deps, requestIdOf(event)), event, onAnswered });
    },
    {
      // Neither tools nor resources announce changes, so no stream is held open for them.
      maxSubscriptions: 0,
      onerror: (error) => deps.log.debug({ err: error }, 'a request of MCP was refused'),
    },
  );
  return async (event) => {
    refuseUnauthorized(event, deps.publicUrl);
    const authInfo = { token: '', clientId: rateLimitKeyOf(event), scopes: [], extra: { event } };
    // Several calls in an array, which old revisions allowed, would count as one request.
    const parsedBody = event.req.method === 'POST' ? await readJsonBody(event, BODY) : undefined;
    const response = await fetch(event.req, { authInfo, ...optional('parsedBody', parsedBody) });
    if (response.headers.get('content-type')?.startsWith(EVENT_STREAM) === true) {
      // As for other event streams.
      event.res.headers.set('Connection', 'close');
      event.res.headers.set('X-Accel-Buffering', 'no');
    }
    return response;
  };
}

function refuseUnauthorized(event: H3Event, publicUrl: string): void {
  const { caller } = identityOf(event) ?? {};
  if (caller === undefined || !('refused' in caller)) return;
  const { refused } = caller;
  const challenge = refused instanceof ApiError ? refused.extras.headers?.['WWW-Authenticate'] : undefined;
  if (!(refused instanceof ApiError) || challenge === undefined) throw refused;
  const header = `${challenge}, resource_metadata="${publicUrl}${METADATA_PATH}${MCP_PATH}"`;
  throw new ApiError(refused.code, refused.message, { headers: { 'WWW-Authenticate': header } });
}

/** There is no authorization server: the operator hands out the keys, which clients send as bearer tokens. */
export function resourceMetadata(publicUrl: string): EventHandler {
  const body = JSON.stringify({
    resource: publicUrl + MCP_PATH,
    resource_name: 'Tapedeck',
    bearer_methods_supported: ['header'],
    scopes_supported: scopes,
    resource_documentation: `${publicUrl}/docs/api.md`,
  });
  return () => new HTTPResponse(body, { headers: { 'Content-Type': 'application/json' } });
}

import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ListResourcesResult,
} from '@modelcontextprotocol/server';
import { recordStatusSchema } from '../../contract/download-record.ts';
import { callerOf } from '../access/access-middleware.ts';
import { operations } from '../operations/operations.ts';
import { callTool, type CallContext } from './call-tool.ts';
import type { Tool } from './tools.ts';
import { INSTRUCTIONS } from './untrusted.ts';

type Tools = ReadonlyMap<string, Tool>;

/** Resources are read by tools, so that they have the same pages, marks and access rules. */
const RESOURCES = new Map([
  ['job', { tool: 'get_job', query: '', about: 'The record of a job, with fresh links to its files' }],
  ['result', { tool: 'get_result', query: '{?cursor}', about: 'The result of a job, such as a transcript, in pages' }],
]);
const RESOURCE = /^tapedeck:\/\/(\w+)\/(\w+)(?:\?cursor=([\w-]+))?$/;
const TEXT = 'text/plain';

/** A server for one request, or for one connection. */
export function mcpServer(tools: Tools, context: Pick<CallContext, 'deps' | 'event' | 'onAnswered'>): McpServer {
  const server = new McpServer(
    { name: 'tapedeck', title: 'Tapedeck', version: '1.0' },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const on = server.server.setRequestHandler.bind(server.server);
  on('tools/list', () => ({ tools: [...tools.values()].map(({ listed }) => listed) }));
  on('tools/call', ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    if (tool === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    const progressToken = mcpReq._meta?.progressToken;
    let progress = 0;
    const onProgress: CallContext['onProgress'] = (message) => {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message };
      // A caller that has left needs no progress.
      void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    return callTool(tool, params.arguments, { ...context, left: mcpReq.signal, onProgress });
  });
  on('resources/templates/list', () => ({
    resourceTemplates: [...RESOURCES].map(([name, { about, query }]) => ({
      name,
      description: about,
      uriTemplate: `tapedeck://${name}/{download_id}${query}`,
      mimeType: TEXT,
    })),
  }));
  on('resources/list', ({ params }) => listResources(context, params?.cursor));
  on('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const [, name = '', id, cursor] = RESOURCE.exec(uri) ?? [];
    const tool = tools.get(RESOURCES.get(name)?.tool ?? '');
    if (tool === undefined) throw new ResourceNotFoundError(uri);
    const given = { download_id: id, wait_seconds: 0, ...(cursor !== undefined && { cursor }) };
    const result = await callTool(tool, given, { ...context, left: mcpReq.signal, onProgress: () => undefined });
    const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    if (result.isError === true) throw new ResourceNotFoundError(uri, text);
    return { contents: [{ uri, mimeType: TEXT, text }] };
  });
  return server;
}

/** The newest results of the caller. Their titles are words of strangers, so they are not listed. */
async function listResources(
  { deps, event }: Pick<CallContext, 'deps' | 'event'>,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const query = { status: recordStatusSchema.enum.success, limit: 50, cursor, waitMs: 0 };
  const { body } = await operations.listDownloads.run(deps, callerOf(event, 'read'), query);
  const { downloads, next_cursor: next } = body;
  return {
    resources: downloads.map(({ id, type, media_id: media }) => ({
      uri: `tapedeck://result/${id}`,
      name: `${type} ${media}`,
      mimeType: TEXT,
    })),
    ...(next !== null && { nextCursor: next }),
  };
}

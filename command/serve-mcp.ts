import type { Readable, Writable } from 'node:stream';
import { Client, StreamableHTTPClientTransport, type RequestOptions } from '@modelcontextprotocol/client';
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { TapedeckError } from '../clients/typescript/src/index.ts';

interface McpOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly version: string;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
}

/** A tool waits for ten minutes at most; its client decides how long it waits for the tool. */
const TIMEOUT_MS = 11 * 60_000;

/** Serves MCP on standard input and output until the input ends: each request is passed on to the service. */
export async function serveMcp({ url, key, version, stdin, stdout, signal }: McpOptions): Promise<void> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const service = new Client({ name: 'tapedeck', version }, { versionNegotiation: { mode: 'auto' } });
  await service
    .connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new TapedeckError(`The service at ${url} refuses MCP: ${reason}`, { code: 'unreachable' });
    });
  const transport = new StdioServerTransport(stdin, stdout);
  const handle = serveStdio(() => relay(service), { transport });
  await new Promise<void>((resolve) => {
    for (const event of ['end', 'close']) stdin.once(event, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
  await service.close();
}

function relay(service: Client): McpServer {
  const info = service.getServerVersion() ?? { name: 'tapedeck', version: '' };
  const instructions = service.getInstructions();
  const relayed = new McpServer(info, {
    capabilities: { tools: {}, resources: {} },
    ...(instructions !== undefined && { instructions }),
  });
  const on = relayed.server.setRequestHandler.bind(relayed.server);
  on('tools/list', ({ params }) => service.listTools(params));
  on('tools/call', ({ params: { name, arguments: given } }, context) =>
    service.callTool({ name, ...(given && { arguments: given }) }, optionsOf(context)),
  );
  on('resources/list', ({ params }) => service.listResources(params));
  on('resources/templates/list', ({ params }) => service.listResourceTemplates(params));
  on('resources/read', ({ params: { uri } }, context) => service.readResource({ uri }, optionsOf(context)));
  return relayed;
}

function optionsOf({ mcpReq }: ServerContext): RequestOptions {
  const progressToken = mcpReq._meta?.progressToken;
  const options = { signal: mcpReq.signal, timeout: TIMEOUT_MS };
  if (progressToken === undefined) return options;
  const onprogress: RequestOptions['onprogress'] = (progress) => {
    const notification = { method: 'notifications/progress', params: { ...progress, progressToken } };
    void mcpReq.notify(notification).catch(() => undefined);
  };
  return { ...options, onprogress };
}

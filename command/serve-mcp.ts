import type { Readable, Writable } from 'node:stream';
import { INTERNAL_ERROR, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

interface McpOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly signal: AbortSignal;
}

/** Serves MCP on standard input and output until the input ends: each message is passed on to the service and back. */
export async function serveMcp({ url, key, stdin, stdout, signal }: McpOptions): Promise<void> {
  const requestInit = { headers: key === undefined ? {} : { Authorization: `Bearer ${key}` } };
  const service = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
  const client = new StdioServerTransport(stdin, stdout);
  const open = new Map<RequestId, AbortController>();
  const answer = (message: JSONRPCMessage): void => {
    if (!('method' in message) && message.id !== undefined) open.delete(message.id);
    // A client that has left needs no answer.
    void client.send(message).catch(() => undefined);
  };
  service.onmessage = answer;
  client.onmessage = (message) => {
    if (!('method' in message)) return;
    if (!('id' in message)) {
      const id = message.params?.['requestId'] as RequestId;
      // By HTTP a request is cancelled by closing its stream.
      open.get(id)?.abort();
      open.delete(id);
      return;
    }
    const { id } = message;
    const cancelled = new AbortController();
    open.set(id, cancelled);
    const fail = (reason: string): void => {
      if (open.has(id)) answer({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: `${url}: ${reason}` } });
    };
    const onRequestStreamEnd = () => fail('the connection broke');
    service
      .send(message, { requestSignal: cancelled.signal, onRequestStreamEnd })
      .catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
  };
  const ended = new Promise<void>((resolve) => (client.onclose = resolve));
  signal.addEventListener('abort', () => void client.close(), { once: true });
  await Promise.all([service.start(), client.start()]);
  await ended;
  await service.close();
}

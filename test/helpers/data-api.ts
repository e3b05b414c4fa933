import type { IncomingMessage, ServerResponse } from 'node:http';
import { createDataApi, type DataApi } from '../../sources/vidnet/data-api/data-api-client.ts';
import type { SourceCall } from '../../sources/source-call-options.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';

export const KEY = 'AIza-the-secret+key/of=the&test';

export interface DataApiStandIn {
  readonly url: string;
  readonly api: DataApi;
  /** Method and parameters of each request, in order. */
  readonly requests: readonly { readonly method: string; readonly params: URLSearchParams }[];
  stop(): Promise<void>;
}

export type Answering = (method: string, params: URLSearchParams, res: ServerResponse) => unknown;

/** A Data API on loopback that answers whatever the test says: an object is sent as JSON, undefined is left to the test. */
export async function startDataApi(answer: Answering): Promise<DataApiStandIn> {
  const requests: { method: string; params: URLSearchParams }[] = [];
  const server = await serveOnLoopback((req: IncomingMessage, res: ServerResponse) => {
    const url = new URL(req.url ?? '/', 'http://stand.in');
    const method = url.pathname.replace(/^\/youtube\/v3\//, '');
    requests.push({ method, params: url.searchParams });
    const body = answer(method, url.searchParams, res);
    if (body === undefined) return;
    res.setHeader('content-type', 'application/json; charset=UTF-8');
    res.end(JSON.stringify(body));
  });
  const url = `${server.url}/`;
  return {
    url,
    requests,
    api: createDataApi({ key: KEY, rootUrl: url }),
    stop: () => server.stop(),
  };
}

export function refuse(res: ServerResponse, status: number, error: Record<string, unknown>): { error: unknown } {
  res.statusCode = status;
  return { error: { code: status, ...error } };
}

export function sourceCall(overrides: Partial<SourceCall> = {}): SourceCall {
  return { folder: '/nonexistent', signal: new AbortController().signal, timeoutMs: 20_000, ...overrides };
}

import { request } from 'node:http';

/** What speaks no HTTP does not answer at all. */
const ANSWER_TIMEOUT_MS = 1_500;
/** For what answers, on a busy machine. */
export const PATIENT_MS = 20_000;

export interface PageRequest {
  readonly method?: 'GET' | 'POST';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
}

/** Sends what a browser or a program would, with the very headers that are given. @returns undefined for no HTTP answer */
export function ask(
  port: number,
  { method = 'GET', path = '/', headers, body, timeoutMs = ANSWER_TIMEOUT_MS }: PageRequest,
) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string } | undefined>(
    (resolve) => {
      const options = { host: '127.0.0.1', port, method, path, headers, timeout: timeoutMs, agent: false };
      const asking = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      asking.on('timeout', () => asking.destroy());
      asking.on('error', () => resolve(undefined));
      asking.end(body);
    },
  );
}

/** A run that deletes all published files. */
export const START =
  '{"workflowType":{"name":"retention"},"taskQueue":{"name":"tapedeck"},"requestId":"1","input":[{"retentionDays":-1}]}';
export const OF_THE_API = '/api/v1/namespaces/default/workflows';
/** What a page of another site can make a browser send: with its own name for this machine, and with ours. */
export const fromPages: readonly (PageRequest & { readonly what: string })[] = [
  { what: 'a GET under a name that was made to lead here', headers: { host: 'rebound.test' } },
  { what: 'its read of the API', path: OF_THE_API, headers: { host: 'rebound.test' } },
  {
    what: 'a POST under such a name',
    ...{ method: 'POST', path: `${OF_THE_API}/a`, body: START },
    headers: { host: 'rebound.test', origin: 'http://rebound.test', 'content-type': 'application/json' },
  },
  {
    what: 'a form of another site',
    ...{ method: 'POST', path: `${OF_THE_API}/b`, body: START },
    headers: { origin: 'http://evil.test', 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' },
  },
  {
    what: 'a form of a sandboxed page, in a browser that sends no Sec-Fetch-Site',
    ...{ method: 'POST', path: `${OF_THE_API}/c`, body: START },
    headers: { origin: 'null', 'content-type': 'text/plain' },
  },
  {
    what: 'a picture or script of another site',
    ...{ path: OF_THE_API, headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } },
  },
  {
    what: 'a frame of another site',
    headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  },
  {
    what: 'a fetch by a page of another port of this machine',
    ...{ path: OF_THE_API, headers: { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' } },
  },
  { what: 'a read of the metrics', path: '/metrics', headers: { host: 'rebound.test' } },
  {
    what: 'a Nexus operation',
    ...{ method: 'POST', path: '/namespaces/default/task-queues/tapedeck/nexus-services/a/b', body: '{}' },
    headers: { host: 'rebound.test', 'content-type': 'text/plain' },
  },
];

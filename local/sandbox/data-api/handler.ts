import type { SandboxParts } from '../control-routes.ts';
import { send, sendRefusal, type Exchange, type Refusal } from '../json-http.ts';
import type { Misbehaviour } from '../switches.ts';
import { listChannels, listPlaylistItems, listVideos } from './listings.ts';
import { listComments, listCommentThreads } from './comments.ts';
import { apiRefusal, readQuery, type ApiCall } from './query.ts';

export const SANDBOX_API_KEY = 'sandbox-key';
const PREFIX = '/youtube/v3/';

const METHODS = new Map<string, (call: ApiCall) => object>([
  ['channels', listChannels],
  ['playlistItems', listPlaylistItems],
  ['videos', listVideos],
  ['commentThreads', listCommentThreads],
  ['comments', listComments],
]);

const FAILURES: Readonly<Partial<Record<Misbehaviour['mode'], Refusal>>> = {
  '429': apiRefusal(429, 'rateLimitExceeded', 'Resource has been exhausted (e.g. check quota).'),
  '500': apiRefusal(500, 'backendError', 'Internal error encountered.'),
  quota: apiRefusal(403, 'quotaExceeded', 'The request cannot be completed because you have exceeded your quota.'),
  rate: apiRefusal(403, 'rateLimitExceeded', 'Rate Limit Exceeded'),
};

export function createDataApi({ library, switchboard, stats, baseUrl }: SandboxParts) {
  return ({ req, res, url }: Exchange): boolean => {
    if (!url.pathname.startsWith(PREFIX)) return false;
    const name = url.pathname.slice(PREFIX.length);
    const method = METHODS.get(name);
    if (method !== undefined) stats.addApiRequest(name);
    const wrong = switchboard.take('*', 'api');
    if (wrong?.mode === 'hang') return true;
    if (wrong?.retry_after_seconds !== undefined) res.setHeader('Retry-After', wrong.retry_after_seconds);
    try {
      const failure = wrong && FAILURES[wrong.mode];
      if (failure !== undefined) throw failure;
      checkKey({ req, url });
      if (method === undefined || req.method !== 'GET') throw apiRefusal(404, 'notFound', 'Method not found.');
      const call = { query: readQuery(url.searchParams), library, stats, baseUrl: baseUrl() };
      send(res, { status: 200, body: method(call) });
    } catch (error) {
      sendRefusal(res, error);
    }
    return true;
  };
}

function checkKey({ req, url }: Pick<Exchange, 'req' | 'url'>): void {
  const key = url.searchParams.get('key') || req.headers['x-goog-api-key'];
  if (key === undefined) throw apiRefusal(403, 'forbidden', "Method doesn't allow unregistered callers.");
  if (key !== SANDBOX_API_KEY) throw apiRefusal(400, 'badRequest', 'API key not valid. Please pass a valid API key.');
}

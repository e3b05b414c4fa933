import type { IncomingMessage } from 'node:http';
import type { SandboxParts } from '../control-routes.ts';
import { answer, sendJson, type Exchange } from '../json-http.ts';
import type { Misbehaviour } from '../switches.ts';
import { listChannels } from './channels.ts';
import { listComments, listCommentThreads } from './comments.ts';
import { listPlaylistItems } from './playlist-items.ts';
import { readQuery, type ApiCall } from './query.ts';
import { ApiRefusal } from './refusal.ts';
import { listVideos } from './videos.ts';

/** The only key that the sandbox takes. */
export const SANDBOX_API_KEY = 'sandbox-key';
const PREFIX = '/youtube/v3/';

const METHODS = new Map<string, (call: ApiCall) => object>([
  ['channels', listChannels],
  ['playlistItems', listPlaylistItems],
  ['videos', listVideos],
  ['commentThreads', listCommentThreads],
  ['comments', listComments],
]);

/** What switches make it answer; `hang` is not among them. */
const FAILURES: Readonly<Partial<Record<Misbehaviour['mode'], ApiRefusal>>> = {
  '429': new ApiRefusal(429, {
    reason: 'rateLimitExceeded',
    message: 'Resource has been exhausted (e.g. check quota).',
    status: 'RESOURCE_EXHAUSTED',
  }),
  '500': new ApiRefusal(500, { reason: 'backendError', message: 'Internal error encountered.', status: 'INTERNAL' }),
  quota: new ApiRefusal(403, {
    reason: 'quotaExceeded',
    message:
      'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
  }),
  rate: new ApiRefusal(403, { reason: 'rateLimitExceeded', message: 'Rate Limit Exceeded' }),
};

/**
 * The part of the Data API v3 that reads channels, videos and comments.
 *
 * @returns a handler of requests: false when the request is not for it
 */
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
      checkKey(req, url);
      if (method === undefined || req.method !== 'GET') {
        throw new ApiRefusal(404, { reason: 'notFound', message: 'Method not found.', status: 'NOT_FOUND' });
      }
      const call = { query: readQuery(url.searchParams), library, stats, baseUrl: baseUrl() };
      sendJson(res, answer(200, method(call)));
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error;
      sendJson(res, error.answer);
    }
    return true;
  };
}

function checkKey(req: IncomingMessage, url: URL): void {
  const inQuery = url.searchParams.get('key') ?? '';
  const key = inQuery === '' ? (req.headers['x-goog-api-key'] ?? '') : inQuery;
  if (key === SANDBOX_API_KEY) return;
  if (key === '') {
    throw new ApiRefusal(403, {
      reason: 'forbidden',
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      status: 'PERMISSION_DENIED',
    });
  }
  throw new ApiRefusal(400, {
    reason: 'badRequest',
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
  });
}

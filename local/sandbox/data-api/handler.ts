import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SandboxParts } from '../control-routes.ts';
import { answer, sendJson } from '../json-http.ts';
import type { ApiCall } from './call.ts';
import { listChannels } from './channels.ts';
import { listComments, listCommentThreads } from './comments.ts';
import { misbehave } from './misbehave.ts';
import { listPlaylistItems } from './playlist-items.ts';
import { readQuery } from './query.ts';
import { ApiRefusal, missingKey, unknownMethod, wrongKey } from './refusals.ts';
import { listVideos } from './videos.ts';

/** The only key that the sandbox takes. */
export const SANDBOX_API_KEY = 'sandbox-key';
const PREFIX = '/youtube/v3/';

const METHODS: Readonly<Record<string, (call: ApiCall) => object>> = {
  channels: listChannels,
  playlistItems: listPlaylistItems,
  videos: listVideos,
  commentThreads: listCommentThreads,
  comments: listComments,
};

/**
 * The part of the Data API v3 that reads channels, videos and comments.
 *
 * @returns a handler of requests: false when the request is not for it
 */
export function createDataApi({ library, switchboard, stats, baseUrl }: SandboxParts) {
  return (req: IncomingMessage, res: ServerResponse, url: URL): boolean => {
    if (!url.pathname.startsWith(PREFIX)) return false;
    const name = url.pathname.slice(PREFIX.length);
    const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (method !== undefined) stats.addApiRequest(name);
    const wrong = switchboard.take('*', 'api');
    if (wrong !== undefined) {
      misbehave(res, wrong);
      return true;
    }
    try {
      checkKey(req, url);
      if (method === undefined || req.method !== 'GET') throw unknownMethod();
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
  if (key === '') throw missingKey();
  if (key !== SANDBOX_API_KEY) throw wrongKey();
}

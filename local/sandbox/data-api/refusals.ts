import type { JsonAnswer } from '../json-http.ts';

/** The Data API says no, in the shape of the real one: `{ error: { code, message, errors: [{ message, domain, reason, … }], status? } }`. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly answer: JsonAnswer;

  constructor(status: number, { message, location, google, ...cause }: RefusalParts) {
    super(message);
    const where = location === undefined ? {} : { location, locationType: 'parameter' };
    this.answer = {
      status,
      body: { error: { code: status, message, errors: [{ message, ...cause, ...where }], ...google } },
    };
  }
}

interface RefusalParts {
  readonly message: string;
  readonly domain: string;
  readonly reason: string;
  /** Name of the parameter at fault. */
  readonly location?: string;
  /** What Google's common layer adds for errors of its own. */
  readonly google?: { readonly status: string; readonly details?: readonly object[] };
}

const KEY_NOT_VALID = 'API key not valid. Please pass a valid API key.';

export const missingKey = (): ApiRefusal =>
  new ApiRefusal(403, {
    message:
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    domain: 'global',
    reason: 'forbidden',
    google: { status: 'PERMISSION_DENIED' },
  });

export const wrongKey = (): ApiRefusal =>
  new ApiRefusal(400, {
    message: KEY_NOT_VALID,
    domain: 'global',
    reason: 'badRequest',
    google: {
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'API_KEY_INVALID',
          domain: 'googleapis.com',
          metadata: { service: 'youtube.googleapis.com' },
        },
        {
          '@type': 'type.googleapis.com/google.rpc.LocalizedMessage',
          locale: 'en-US',
          message: KEY_NOT_VALID,
        },
      ],
    },
  });

export const missingParameter = (message: string, location: string): ApiRefusal =>
  new ApiRefusal(400, { message, domain: 'youtube.parameter', reason: 'missingRequiredParameter', location });

export const invalidValue = (value: string, location: string, range: string): ApiRefusal =>
  new ApiRefusal(400, {
    message: `Invalid value '${value}'. Values must be within the range: ${range}`,
    domain: 'youtube.parameter',
    reason: 'invalidParameter',
    location,
  });

export const tooManyIds = (): ApiRefusal =>
  new ApiRefusal(400, {
    message: 'The request specifies an invalid filter parameter.',
    domain: 'youtube.parameter',
    reason: 'invalidFilters',
    location: 'parameters.',
  });

export const invalidPageToken = (): ApiRefusal =>
  new ApiRefusal(400, {
    message: 'The request specifies an invalid page token.',
    domain: 'youtube.parameter',
    reason: 'invalidPageToken',
    location: 'pageToken',
  });

export const playlistNotFound = (): ApiRefusal =>
  new ApiRefusal(404, {
    message: "The playlist identified with the request's <code>playlistId</code> parameter cannot be found.",
    domain: 'youtube.playlistItem',
    reason: 'playlistNotFound',
    location: 'playlistId',
  });

const VIDEO_ID = '<code><a href="/youtube/v3/docs/commentThreads/list#videoId">videoId</a></code>';

export const videoNotFound = (): ApiRefusal =>
  new ApiRefusal(404, {
    message: `The video identified by the ${VIDEO_ID} parameter could not be found.`,
    domain: 'youtube.commentThread',
    reason: 'videoNotFound',
    location: 'videoId',
  });

export const commentsDisabled = (): ApiRefusal =>
  new ApiRefusal(403, {
    message: `The video identified by the ${VIDEO_ID} parameter has disabled comments.`,
    domain: 'youtube.commentThread',
    reason: 'commentsDisabled',
    location: 'videoId',
  });

export const commentNotFound = (): ApiRefusal =>
  new ApiRefusal(404, {
    message: 'The comment identified by the <code>parentId</code> parameter could not be found.',
    domain: 'youtube.comment',
    reason: 'commentNotFound',
    location: 'parentId',
  });

export const unknownMethod = (): ApiRefusal =>
  new ApiRefusal(404, {
    message: 'Method not found.',
    domain: 'global',
    reason: 'notFound',
    google: { status: 'NOT_FOUND' },
  });

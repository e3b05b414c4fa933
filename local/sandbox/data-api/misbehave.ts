import type { ServerResponse } from 'node:http';
import { sendJson } from '../json-http.ts';
import type { Misbehaviour } from '../misbehaviour.ts';
import { ApiRefusal } from './refusals.ts';

const REFUSALS: Readonly<Record<string, ApiRefusal>> = {
  '429': new ApiRefusal(429, {
    message: 'Resource has been exhausted (e.g. check quota).',
    domain: 'global',
    reason: 'rateLimitExceeded',
    google: { status: 'RESOURCE_EXHAUSTED' },
  }),
  '500': new ApiRefusal(500, {
    message: 'Internal error encountered.',
    domain: 'global',
    reason: 'backendError',
    google: { status: 'INTERNAL' },
  }),
  quota: new ApiRefusal(403, {
    message:
      'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    domain: 'youtube.quota',
    reason: 'quotaExceeded',
  }),
  rate: new ApiRefusal(403, { message: 'Rate Limit Exceeded', domain: 'usageLimits', reason: 'rateLimitExceeded' }),
};

/** Does what a switch of the target `api` says; for `hang` nothing is ever answered. */
export function misbehave(res: ServerResponse, { mode, retry_after_seconds }: Misbehaviour): void {
  const refusal = REFUSALS[mode];
  if (refusal === undefined) return;
  if (retry_after_seconds !== undefined) res.setHeader('Retry-After', retry_after_seconds);
  sendJson(res, refusal.answer);
}

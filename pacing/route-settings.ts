import type { z } from 'zod';
import { positive, text } from '../runtime/setting-types.ts';

const hours = text
  .regex(/^(?<hour>(?:[01]\d|2[0-3]):[0-5]\d)-(?!\k<hour>)(?:[01]\d|2[0-3]):[0-5]\d$/, 'two times such as 22:00-06:00')
  .optional()
  .describe('Hours (UTC) in which they may start, such as 22:00-06:00');
const startsPerDay = positive.optional().describe('The same per day (UTC); without it, any number');

/** The settings that determine the routes; those of both platforms have the same names. */
export const routeSettings = {
  VIDNET_MAX_JOBS: positive
    .default(4)
    .describe('Concurrent jobs per worker that use the video platform; MAX_FETCHES limits their downloads'),
  VIDNET_STARTS_PER_MINUTE: positive
    .default(60)
    .describe('Requests of jobs to the video platform that may start per minute, over all workers'),
  VIDNET_STARTS_PER_DAY: startsPerDay,
  VIDNET_HOURS: hours,
  IMGNET_MAX_JOBS: positive
    .default(20)
    .describe('Concurrent jobs per worker that use the photo platform; MAX_FETCHES limits their downloads'),
  IMGNET_STARTS_PER_MINUTE: positive
    .default(60)
    .describe('Requests of jobs to the photo platform that may start per minute, over all workers'),
  IMGNET_STARTS_PER_DAY: startsPerDay,
  IMGNET_HOURS: hours,
  UPSTREAM_FIRST_PAUSE_SECONDS: positive
    .default(15)
    .describe('How long the circuit breaker stays open after a first refusal; doubles with each further refusal'),
  UPSTREAM_MAX_PAUSE_SECONDS: positive.default(900).describe('Longest time that the circuit breaker stays open'),
};

export type RouteSettings = z.infer<z.ZodObject<typeof routeSettings>>;

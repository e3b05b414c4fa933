import { z } from 'zod';
import type { Starter } from '../download-record.ts';
import { ulidSchema } from '../ids.ts';
import { BATCH_NAME_MAX_CHARS, WEBHOOK_URL_MAX_CHARS } from '../request-limits.ts';
import { languageSchema } from '../text/language-tags.ts';
import { nextCursor, optionalField, timestampSchema } from './fields.ts';

/** The source of a list of all feeds of a caller. */
export const ALL_FEEDS = 'feeds';

const sourceSchema = z
  .union([ulidSchema, z.literal(ALL_FEEDS)], { error: 'must be the ID of a batch or subscription, or "feeds"' })
  .describe(
    'The ID of the batch or subscription whose files are the episodes; `feeds` for an OPML list of all feeds of the caller',
  );

/** The body of POST /api/feeds, an addition to the specification. Unknown fields are ignored. */
export const feedRequestSchema = z
  .object({
    source: sourceSchema,
    title: optionalField(
      z
        .string()
        .trim()
        .min(1)
        .max(BATCH_NAME_MAX_CHARS)
        .describe('The title of the feed; by default, the name of the source'),
    ),
    language: optionalField(languageSchema).describe('The language of the recordings; by default `en`'),
    image_url: optionalField(
      z
        .url({ protocol: /^https?$/ })
        .max(WEBHOOK_URL_MAX_CHARS)
        .describe('The artwork: a square JPEG or PNG of 1400 to 3000 pixels'),
    ),
  })
  .meta({ id: 'FeedRequest' });
export type FeedRequest = z.infer<typeof feedRequestSchema>;

const addressSchema = z
  .url()
  .nullable()
  .describe('Contains the token of the feed, which is not stored: null except in the answer to POST /api/feeds');

export const feedSchema = z
  .object({
    id: ulidSchema,
    source: sourceSchema,
    title: z.string(),
    language: z.string(),
    image_url: z.url().nullable(),
    created_at: timestampSchema,
    rss_url: addressSchema,
    json_url: addressSchema,
    opml_url: addressSchema.describe(
      'The address of the OPML document, if the source is `feeds`; `rss_url` and `json_url` are then null',
    ),
  })
  .meta({ id: 'Feed' });
export type Feed = z.infer<typeof feedSchema>;

export const feedListSchema = z
  .object({ feeds: z.array(feedSchema).describe('Newest first'), ...nextCursor })
  .meta({ id: 'FeedList' });
export type FeedList = z.infer<typeof feedListSchema>;

export interface StoredFeed {
  /** ULID; also the `_id` of the document. */
  readonly id: string;
  /** SHA-256 of the secret part of the token. */
  readonly hash: string;
  readonly startedBy: Starter;
  readonly source: string;
  readonly title: string;
  readonly language: string;
  readonly imageUrl?: string;
  readonly createdAt: string;
}

/** @param address of the feed, without the extension of a format; it is known only when the feed is created */
export function renderFeed(feed: StoredFeed, address?: string): Feed {
  const { id, source, title, language, imageUrl, createdAt } = feed;
  const urlOf = (extension: string, isThere: boolean) =>
    address === undefined || !isThere ? null : `${address}.${extension}`;
  const isList = source === ALL_FEEDS;
  return {
    ...{ id, source, title, language, image_url: imageUrl ?? null, created_at: createdAt },
    ...{ rss_url: urlOf('rss', !isList), json_url: urlOf('json', !isList), opml_url: urlOf('opml', isList) },
  };
}

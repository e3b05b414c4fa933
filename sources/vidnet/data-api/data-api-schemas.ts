import { z } from 'zod';
import {
  countSchema,
  durationSchema,
  known,
  largestThumbnailSchema,
  textSchema,
  timeSchema,
} from './data-api-values.ts';
import { oneLine } from '../fact-schemas.ts';

const ITEMS_MAX = 1_000;

const countrySchema = z.string().regex(/^[A-Z]{2}$/);

/** The answer of a list method. `kind` is required, because an unrelated `{}` must not mean that a channel was removed. */
function listOf<Item>(kind: string, item: z.ZodType<Item>) {
  return z
    .object({
      kind: z.literal(kind),
      items: many(item).nullish(),
      // Strict, because an invalid token must not mean the end of the list.
      nextPageToken: z.string().nullish(),
    })
    .transform(({ items, nextPageToken }) => ({
      items: items ?? [],
      nextPageToken: nextPageToken === '' ? undefined : (nextPageToken ?? undefined),
    }));
}

/** The API returns a hundred at most. They are counted before they are validated, which takes longer. */
function many<Item>(item: z.ZodType<Item>) {
  return z.array(z.unknown()).max(ITEMS_MAX).pipe(z.array(item));
}

export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken: string | undefined;
}

export const channelListSchema = listOf(
  'youtube#channelListResponse',
  z.object({
    id: textSchema,
    snippet: z.object({
      title: z.string().transform(oneLine),
      description: known(textSchema),
      customUrl: known(textSchema),
      publishedAt: known(timeSchema),
      country: known(countrySchema),
      thumbnails: known(largestThumbnailSchema),
    }),
    statistics: known(
      z.object({
        viewCount: known(countSchema),
        subscriberCount: known(countSchema),
        hiddenSubscriberCount: known(z.boolean()),
        videoCount: known(countSchema),
      }),
    ),
    brandingSettings: known(z.object({ channel: known(z.object({ country: known(countrySchema) })) })),
  }),
);

export const uploadsListSchema = listOf(
  'youtube#channelListResponse',
  // Strict, because an unreadable answer must not mean a channel without videos.
  z.object({ contentDetails: z.object({ relatedPlaylists: z.object({ uploads: z.string().nullish() }) }) }),
);

export const playlistItemListSchema = listOf(
  'youtube#playlistItemListResponse',
  z.object({
    snippet: z.object({ title: z.string().transform(oneLine), thumbnails: known(largestThumbnailSchema) }),
    contentDetails: z.object({ videoId: textSchema, videoPublishedAt: known(timeSchema) }),
  }),
);

export const videoListSchema = listOf(
  'youtube#videoListResponse',
  z.object({ id: textSchema, contentDetails: known(z.object({ duration: known(durationSchema) })) }),
);

const commentSchema = z.object({
  id: textSchema,
  snippet: z.object({
    textDisplay: z.string(),
    authorDisplayName: known(textSchema.transform(oneLine)),
    authorChannelId: known(z.object({ value: known(textSchema) })),
    likeCount: known(countSchema),
    publishedAt: known(timeSchema),
    parentId: known(textSchema),
  }),
});
export type DataApiComment = z.infer<typeof commentSchema>;

export const commentListSchema = listOf('youtube#commentListResponse', commentSchema);

export const commentThreadListSchema = listOf(
  'youtube#commentThreadListResponse',
  z.object({
    snippet: z.object({ topLevelComment: commentSchema, totalReplyCount: known(countSchema) }),
    replies: known(z.object({ comments: many(commentSchema) })),
  }),
);

import { z } from 'zod';
import { oneLine } from '../fact-schemas.ts';

const ITEMS_MAX = 1_000;

function known<Parsed>(schema: z.ZodType<Parsed>): z.ZodCatch<z.ZodOptional<z.ZodType<Parsed>>> {
  return schema.optional().catch(undefined);
}

const textSchema = z.string().min(1);

/** The API sends counts as strings, because they have 64 bits. */
const countSchema = z.union([z.string().regex(/^\d{1,15}$/), z.number().int().nonnegative()]).transform(Number);

/** Converts RFC 3339 in UTC to `YYYY-MM-DD HH:MM:SS`. */
const timeSchema = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/)
  .transform((text) => `${text.slice(0, 10)} ${text.slice(11, 19)}`);

const DURATION = /^P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/** Converts durations such as `PT4M13S` and `P1DT2H` to seconds. Broadcasts that have not ended have `PT0S` or `P0D`. */
export const durationSchema = z
  .string()
  .regex(DURATION)
  .transform((text) => {
    const amounts =
      DURATION.exec(text)
        ?.slice(1)
        .map((amount: string | undefined) => Number(amount ?? 0)) ?? [];
    const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = amounts;
    return (weeks * 7 + days) * 86_400 + hours * 3600 + minutes * 60 + seconds;
  });

const thumbnailSchema = z.object({
  url: z.url({ protocol: /^https?$/ }),
  width: known(z.number().nonnegative()),
  height: known(z.number().nonnegative()),
});

/** In ascending size, for images without width and height. */
const THUMBNAIL_NAMES = ['default', 'medium', 'high', 'standard', 'maxres'];

const largestThumbnailSchema = z.record(z.string(), known(thumbnailSchema)).transform((byName, context) => {
  const [largest] = Object.entries(byName)
    .flatMap(([name, image]) => (image === undefined ? [] : [{ name, ...image }]))
    .map(({ width = 0, height = 0, ...image }) => ({ ...image, area: width * height }))
    .sort((a, b) => b.area - a.area || THUMBNAIL_NAMES.indexOf(b.name) - THUMBNAIL_NAMES.indexOf(a.name));
  if (largest === undefined) {
    context.addIssue({ code: 'custom', message: 'no thumbnail' });
    return z.NEVER;
  }
  return largest.url;
});

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

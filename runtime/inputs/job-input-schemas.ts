import { z } from 'zod';
import { ulidSchema, vidnetVideoIdSchema, fileNameSchema } from '../../contract/ids.ts';
import { accountOf, SHORTCODE } from '../../contract/urls/imgnet-urls.ts';
import { languageSchema } from '../../contract/text/language-tags.ts';
import { SPEAKERS_MAX } from '../../contract/limits.ts';
import { callerSchema, countSchema, httpUrlSchema, moneySchema, siteSchema, workflowIdSchema } from './input-fields.ts';

/** The inputs of jobs. What they say of files, pages and accounts has passed the api's own checks, or is refused here. */

export const accountSchema = z.string().refine((text) => accountOf(text) === text, 'must be an account in lower case');
export const shortcodeSchema = z.string().regex(SHORTCODE);
export const postSchema = z.object({ shortcode: shortcodeSchema, kind: z.enum(['post', 'reel']) });
export const daySchema = z.iso.date();

/** Folded names may be longer than what callers may write; a name of dots alone is a step in a path. */
const NAME = '(?!\\.{1,2}$)[\\p{L}\\p{M}\\p{N}._·-]{1,400}';
export const channelSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('id'), name: z.string().regex(/^[\w-]{1,100}$/) }),
  z.object({ kind: z.enum(['handle', 'custom', 'user']), name: z.string().regex(new RegExp(`^${NAME}$`, 'u')) }),
]);
const channelPathSchema = z.string().regex(new RegExp(`^(?:@|channel/|c/|user/)${NAME}$`, 'u'));

export const labelsSchema = z.object({
  audioId: ulidSchema,
  fileName: fileNameSchema,
  language: languageSchema.exactOptional(),
  minSpeakers: z.int().min(1).max(SPEAKERS_MAX).exactOptional(),
  maxSpeakers: z.int().min(1).max(SPEAKERS_MAX).exactOptional(),
});

export const listSchema = z.object({
  part: z.enum(['posts', 'reels']),
  sinceDate: daySchema.exactOptional(),
  since: z.iso.datetime().exactOptional(),
  postsCount: countSchema.exactOptional(),
  otherId: ulidSchema.exactOptional(),
});

/** Of the media of a page. yt-dlp takes orders from a fragment. */
export const pageSchema = z.object({
  mediaId: z.string().regex(/^[0-9a-f]{32}$/),
  page: z.object({
    url: httpUrlSchema.refine((url) => !url.includes('#'), 'must have no fragment'),
    format: z.enum(['audio', 'video']),
  }),
});

const ownerSchema = z.object({ paidBy: ulidSchema });

const anyJob = z.object({
  version: z.int().min(1),
  recordId: ulidSchema,
  subjectId: workflowIdSchema,
  createdAt: z.iso.datetime(),
  price: moneySchema,
  chargedTo: callerSchema.exactOptional(),
  startedBy: callerSchema,
  webhookUrl: httpUrlSchema.exactOptional(),
});

const media = anyJob.extend({ type: z.enum(['audio', 'vidnet_video']), mediaId: vidnetVideoIdSchema });

/** By workflow. */
const jobSchemas = {
  audio: media,
  video: media,
  transcript: anyJob.extend({
    type: z.literal('captions'),
    mediaId: vidnetVideoIdSchema,
    parameters: z.object({ language: languageSchema, includeComments: z.boolean() }),
  }),
  channel: anyJob.extend({
    type: z.literal('list'),
    mediaId: channelPathSchema,
    parameters: z.object({ channel: channelSchema }),
  }),
  imgnetProfile: anyJob.extend({
    type: z.literal('imgnet_profile'),
    mediaId: accountSchema,
    parameters: ownerSchema.exactOptional(),
  }),
  imgnetContent: anyJob
    .extend({
      type: z.literal('imgnet_post'),
      mediaId: shortcodeSchema,
      parameters: z.object({ post: postSchema, profilePrice: moneySchema }),
    })
    .refine(({ price, parameters }) => parameters.profilePrice <= price, {
      path: ['parameters', 'profilePrice'],
      error: 'must not be more than the price',
    }),
  imgnetList: anyJob.extend({
    type: z.enum(['imgnet_list_posts', 'imgnet_list_reels']),
    mediaId: accountSchema,
    parameters: listSchema,
  }),
  imgnetAudio: anyJob.extend({
    type: z.literal('imgnet_audio'),
    mediaId: shortcodeSchema,
    parameters: z.object({ post: postSchema }),
  }),
  media: anyJob.extend({
    type: z.literal('media'),
    mediaId: pageSchema.shape.mediaId,
    parameters: z.object({ page: pageSchema.shape.page, site: siteSchema.exactOptional() }),
  }),
  speakerLabels: anyJob.extend({
    type: z.literal('speaker_labels'),
    mediaId: shortcodeSchema,
    parameters: labelsSchema,
  }),
};

type JobInputs = { readonly [Workflow in keyof typeof jobSchemas]: z.ZodTuple<[(typeof jobSchemas)[Workflow]], null> };
/** The arguments of these workflows. */
export const jobInputs = Object.fromEntries(
  Object.entries(jobSchemas).map(([workflow, schema]) => [workflow, z.tuple([schema])]),
) as unknown as JobInputs;

/** The job of any workflow. */
export const jobSchema = z.union(Object.values(jobSchemas));

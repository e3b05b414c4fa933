import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { CHANNEL_CASES, VIDEO_CASES } from './catalogue.ts';

/** More would make every page slow, since all are kept in memory. */
const GENERATED_MAX = 20_000;

const relativePath = z.string().refine((path) => !isAbsolute(path) && !path.split(/[\\/]/).includes('..'), {
  error: 'a path inside the catalogue folder',
});
const handle = z.string().regex(/^@[\w.-]{3,30}$/, 'a handle such as @tea-time');
const name = z.string().regex(/^[\w.-]{1,40}$/, 'letters, digits, dots and dashes');
const count = z.number().int().nonnegative();

const channel = z.strictObject({
  handle,
  id: z.string().regex(/^UC[\w-]{22}$/, 'UC and 22 characters'),
  title: z.string().min(1),
  description: z.string().default(''),
  follower_count: count.optional(),
  view_count: count.default(0),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'two letters such as IE')
    .optional(),
  created_at: z.iso.datetime().optional(),
  custom_name: name.optional(),
  user_name: name.optional(),
  generated_videos: count.max(GENERATED_MAX).default(0),
  case: z.enum(CHANNEL_CASES),
});

const comment = z.strictObject({
  author: handle,
  text: z.string().min(1),
  like_count: count.default(0),
  published_at: z.iso.datetime(),
  pinned: z.boolean().default(false),
  favorited: z.boolean().default(false),
  get replies(): z.ZodDefault<z.ZodArray<typeof comment>> {
    return z.array(comment).default([]);
  },
});
export type CommentEntry = z.infer<typeof comment>;

const captions = z.strictObject({
  language: z.string().regex(/^[A-Za-z]{2,3}(-[\w-]+)?$/, 'a language such as en or pt-BR'),
  name: z.string(),
  kind: z.enum(['manual', 'automatic']),
  files: z.array(relativePath).min(1),
});

const video = z.strictObject({
  id: z.string().regex(/^[\w-]{11}$/, '11 characters of A-Z, a-z, 0-9, _ and -'),
  title: z.string().min(1),
  case: z.enum(VIDEO_CASES),
  channel: handle,
  description: z.string().default(''),
  published_at: z.iso.datetime(),
  view_count: count.default(0),
  like_count: count.optional(),
  tags: z.array(z.string()).default([]),
  duration_seconds: z.number().positive().optional(),
  repeat_to_seconds: z.number().positive().max(86_400).optional(),
  formats: z.array(relativePath).default([]),
  captions: z.array(captions).default([]),
  live_chat: z.boolean().default(false),
  comments: z.array(comment).default([]),
  generated_comments: count.max(GENERATED_MAX).default(0),
});

/** catalogue.json; catalogue/README.md explains it. */
export const catalogueSchema = z.strictObject({ channels: z.array(channel).min(1), videos: z.array(video) });
export type ChannelEntry = z.infer<typeof channel>;
export type VideoEntry = z.infer<typeof video>;

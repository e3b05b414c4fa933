import { z } from 'zod';
import { jobFields, optionalField } from '../http/fields.ts';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import type { JobInput } from '../job-input.ts';
import { shortcodeSchema } from '../job-schema.ts';
import { TRANSCRIPT_LANGUAGES_MAX } from '../request-limits.ts';
import { languageSchema } from '../text/language-tags.ts';
import { mediaIdSchema, pageUrlSchema, siteSchema } from './media.ts';
import { exactlyOneOf, oneRequired, sourceUrlSchema } from './speech-request.ts';

/** The fields of POST /api/transcripts in the specification (section 4.2), of which a batch takes no others. */
export const captionsRequestShape = {
  vidnet_video_id: vidnetVideoIdSchema,
  language: languageSchema.describe('Language code such as `en`, `de` or `pt-BR`'),
  include_comments: optionalField(z.boolean()).describe("Include the video's comments"),
  ...jobFields,
};

const SOURCES = ['vidnet_video_id', 'url'] as const;

/** The body of POST /api/transcripts; `url`, `mode` and the list of languages are additions. Unknown fields are ignored. */
export const transcriptRequestSchema = z
  .object({
    ...captionsRequestShape,
    vidnet_video_id: optionalField(vidnetVideoIdSchema).describe('A video of the video platform'),
    url: optionalField(sourceUrlSchema),
    mode: optionalField(z.enum(['native', 'auto', 'generate'])).describe(
      '`native`, the default: the captions of the page. `auto`: its captions, or else what is spoken. `generate`: what is spoken',
    ),
    language: optionalField(
      z.union([captionsRequestShape.language, z.array(languageSchema).min(1).max(TRANSCRIPT_LANGUAGES_MAX)]),
    ).describe(
      'Language code such as `en`, or a list, of which the first with captions is used. With `generate`, a single one is the spoken language, and may be left out',
    ),
  })
  .check(exactlyOneOf(SOURCES), ({ value: { language, mode }, issues }) => {
    if (language !== undefined || mode === 'generate') return;
    issues.push({
      code: 'custom',
      path: ['language'],
      message: 'is required unless mode is generate',
      input: language,
    });
  })
  .meta({
    id: 'TranscriptRequest',
    oneOf: oneRequired(SOURCES),
    anyOf: [
      {
        required: ['language'],
        properties: { language: { type: ['string', 'array'] as const, items: { type: 'string' as const } } },
      },
      { required: ['mode'], properties: { mode: { const: 'generate' as const } } },
    ],
  });
export type TranscriptRequest = z.infer<typeof transcriptRequestSchema>;

export const transcriptIdSchema = z.union([vidnetVideoIdSchema, mediaIdSchema, shortcodeSchema]);
export const transcriptParametersSchema = z.object({
  /** The first one that was requested. */
  language: languageSchema.optional(),
  /** All that were requested, if there are several. */
  languages: z.array(languageSchema).min(2).max(TRANSCRIPT_LANGUAGES_MAX).optional(),
  includeComments: z.boolean(),
  /** Absent: only captions are wanted. */
  mode: z.enum(['auto', 'generate']).optional(),
  /** The ID of the job of the speech, if this one starts it. */
  speechId: ulidSchema.optional(),
  /** The source as it was requested; absent for the ID of a video. */
  url: z.string().max(2048).optional(),
  /** A page of another site, which is read as that of a video is. */
  page: z.object({ url: pageUrlSchema, site: siteSchema.optional() }).optional(),
});
export type TranscriptParameters = Readonly<z.infer<typeof transcriptParametersSchema>>;
export type TranscriptJob = JobInput & { readonly parameters: TranscriptParameters };

export const captionsOrderSchema = transcriptParametersSchema
  .omit({ includeComments: true, speechId: true, url: true })
  .extend({ recordId: ulidSchema, mediaId: transcriptIdSchema });

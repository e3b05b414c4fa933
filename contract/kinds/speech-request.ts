import { z } from 'zod';
import { includeWebhookSchema, optionalField, pageSchema } from '../http/fields.ts';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import { speechHintsShape } from '../speech-hints.ts';
import { WEBHOOK_URL_PATTERN } from '../urls/url-patterns.ts';

const SOURCES = ['url', 'vidnet_video_id', 'download_id'] as const;
const ONE_SOURCE = `exactly one of ${SOURCES.join(', ')} is required`;

/** The body of POST /api/speech, an addition to the specification. Unknown fields are ignored. */
export const speechRequestSchema = z
  .object({
    url: optionalField(
      pageSchema(
        'URL of a video of the video platform, of a post or reel of the photo platform, or of a page of another site',
        WEBHOOK_URL_PATTERN,
        'https://example.com/videos/evening-talk',
      ),
    ),
    vidnet_video_id: optionalField(vidnetVideoIdSchema).describe('A video of the video platform'),
    download_id: optionalField(ulidSchema).describe('A download with sound: audio, a video, or media of a page'),
    ...speechHintsShape,
    include_webhook: includeWebhookSchema,
  })
  .check(({ value, issues }) => {
    const given = SOURCES.filter((name) => value[name] !== undefined);
    if (given.length === 1) return;
    const named = given.length === 0 ? SOURCES.slice(0, 1) : given;
    for (const name of named) issues.push({ code: 'custom', path: [name], message: ONE_SOURCE, input: value[name] });
  })
  .meta({
    id: 'SpeechRequest',
    oneOf: SOURCES.map((name) => ({ required: [name], properties: { [name]: { type: 'string' as const } } })),
  });
export type SpeechRequest = z.infer<typeof speechRequestSchema>;

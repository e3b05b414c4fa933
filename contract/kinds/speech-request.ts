import { z } from 'zod';
import { jobFields, optionalField, pageSchema } from '../http/fields.ts';
import { ulidSchema, vidnetVideoIdSchema } from '../ids.ts';
import { speechHintsShape } from '../speech-hints.ts';
import { WEBHOOK_URL_PATTERN } from '../urls/url-patterns.ts';

const SOURCES = ['url', 'vidnet_video_id', 'download_id'] as const;

export const sourceUrlSchema = pageSchema(
  'URL of a video of the video platform, of a post or reel of the photo platform, or of a page of another site',
  WEBHOOK_URL_PATTERN,
  'https://example.com/videos/evening-talk',
);

/** The check of a request that must have exactly one of these fields. */
export function exactlyOneOf<Name extends string>(names: readonly Name[]) {
  return ({ value, issues }: z.core.ParsePayload<Readonly<Partial<Record<Name, unknown>>>>): void => {
    const given = names.filter((name) => value[name] !== undefined);
    if (given.length === 1) return;
    const message = `exactly one of ${names.join(', ')} is required`;
    for (const name of given.length === 0 ? names.slice(0, 1) : given)
      issues.push({ code: 'custom', path: [name], message, input: value[name] });
  };
}

/** The same check as JSON Schema. */
export function oneRequired(names: readonly string[]) {
  return names.map((name) => ({ required: [name], properties: { [name]: { type: 'string' as const } } }));
}

/** The body of POST /api/speech, an addition to the specification. Unknown fields are ignored. */
export const speechRequestSchema = z
  .object({
    url: optionalField(sourceUrlSchema),
    vidnet_video_id: optionalField(vidnetVideoIdSchema).describe('A video of the video platform'),
    download_id: optionalField(ulidSchema).describe('A download with sound: audio, a video, or media of a page'),
    ...speechHintsShape,
    ...jobFields,
  })
  .check(exactlyOneOf(SOURCES))
  .meta({ id: 'SpeechRequest', oneOf: oneRequired(SOURCES) });
export type SpeechRequest = z.infer<typeof speechRequestSchema>;

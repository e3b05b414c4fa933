import { z } from 'zod';
import { JobError } from '../../../runtime/job-error.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { CaptionLine } from '../../../contract/kinds/transcript.ts';
import { captionLines, cleanText, endAtNext, type Cue } from './cue.ts';

const eventSchema = z.object({
  tStartMs: z.number().default(0),
  dDurationMs: z.number().optional(),
  /** The window of a rolling display; manual captions have none. */
  wWinId: z.number().optional(),
  aAppend: z.number().optional(),
  /** Absent in events that only set up a window. */
  segs: z.array(z.object({ utf8: z.string().default('') })).default([]),
});

/** An empty track may lack its events, but something else than captions lacks both. */
const trackSchema = z
  .object({ wireMagic: z.literal('pb3').optional(), events: z.array(eventSchema).optional() })
  .refine((track) => track.wireMagic !== undefined || track.events !== undefined);

type Event = z.infer<typeof eventSchema>;

/**
 * Captions in the platform's own JSON. Its texts are plain: `&amp;` in one is what the speaker's words were spelled like.
 * An event without a duration lasts until the next one begins; the last one then has a duration of 0.
 *
 * @throws JobError `upstream_error` for what are no captions
 */
export function parseJson3(text: string): CaptionLine[] {
  const { data: track, error } = trackSchema.safeParse(parseJson(text));
  if (track === undefined) {
    throw new JobError('captionsUnreadable', { cause: error });
  }
  const { events = [] } = track;
  // Line feeds that scroll the window are events of their own, and fall out here as texts that show nothing.
  const spoken = events
    .map((event) => ({ ...event, line: textOf(event) }))
    .filter(({ line }) => line !== '')
    .sort((a, b) => a.tStartMs - b.tStartMs);
  const cues = spoken.map(({ tStartMs, dDurationMs, line }, index): Cue => {
    const endMs = dDurationMs === undefined ? spoken[index + 1]?.tStartMs : tStartMs + dDurationMs;
    return { startMs: tStartMs, endMs: endMs ?? tStartMs, lines: [line] };
  });
  // Manual captions may overlap on purpose, when two people speak at once.
  const rolls = events.some((event) => event.wWinId !== undefined || event.aAppend !== undefined);
  return captionLines(rolls ? endAtNext(cues) : cues);
}

function textOf(event: Event): string {
  return cleanText(event.segs.map(({ utf8 }) => utf8).join(''));
}

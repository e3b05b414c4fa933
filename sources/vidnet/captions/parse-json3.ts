import { z } from 'zod';
import { JobError } from '../../../runtime/job-error.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { CaptionLine } from '../../../contract/kinds/transcript.ts';
import { captionLines, cleanText, endAtNext, type Cue } from './cue.ts';

const eventSchema = z.object({
  tStartMs: z.number().default(0),
  dDurationMs: z.number().optional(),
  /** Present for a rolling display. */
  wWinId: z.number().optional(),
  aAppend: z.number().optional(),
  /** Absent in events that only set up a window. */
  segs: z.array(z.object({ utf8: z.string().default('') })).default([]),
});

/** An empty track may have no events. Other JSON has neither field. */
const trackSchema = z
  .object({ wireMagic: z.literal('pb3').optional(), events: z.array(eventSchema).optional() })
  .refine((track) => track.wireMagic !== undefined || track.events !== undefined);

type Event = z.infer<typeof eventSchema>;

/** An event without a duration lasts until the next one. @throws JobError `upstream_error` for other JSON */
export function parseJson3(text: string): CaptionLine[] {
  const { data: track, error } = trackSchema.safeParse(parseJson(text));
  if (track === undefined) {
    throw new JobError('captionsUnreadable', { cause: error });
  }
  const { events = [] } = track;
  // Events with only a line feed scroll the window.
  const spoken = events
    .map((event) => ({ ...event, line: textOf(event) }))
    .filter(({ line }) => line !== '')
    .sort((a, b) => a.tStartMs - b.tStartMs);
  const cues = spoken.map(({ tStartMs, dDurationMs, line }, index): Cue => {
    const endMs = dDurationMs === undefined ? spoken[index + 1]?.tStartMs : tStartMs + dDurationMs;
    return { startMs: tStartMs, endMs: endMs ?? tStartMs, lines: [line] };
  });
  // Manual captions may overlap when two people speak at once.
  const rolls = events.some((event) => event.wWinId !== undefined || event.aAppend !== undefined);
  return captionLines(rolls ? endAtNext(cues) : cues);
}

function textOf(event: Event): string {
  return cleanText(event.segs.map(({ utf8 }) => utf8).join(''));
}

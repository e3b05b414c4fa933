import { z } from 'zod';
import { JobError } from '../../../runtime/job-error.ts';
import { parseJson } from '../../../runtime/parse-json.ts';
import type { CaptionLine } from '../../../contract/kinds/transcript-facts.ts';
import { captionLines, cleanText, endAtNext, type Cue } from './cue.ts';

const numberSchema = z.number().optional().catch(undefined);
const eventSchema = z.object({
  tStartMs: z.number().default(0),
  dDurationMs: numberSchema,
  /** Present for a rolling display. */
  wWinId: numberSchema,
  aAppend: numberSchema,
  /** Absent in events that only set up a window. */
  segs: z.array(z.object({ utf8: z.string() }).catch({ utf8: '' })).catch([]),
});

/** An empty track may have no events. Other JSON has neither field. */
const trackSchema = z
  .object({ wireMagic: z.literal('pb3').optional(), events: z.array(z.unknown()).optional() })
  .refine((track) => track.wireMagic !== undefined || track.events !== undefined);

type Event = z.infer<typeof eventSchema>;

/** Events that cannot be read are left out. An event without a duration lasts until the next one. @throws JobError `upstream_error` for other JSON */
export function parseJson3(text: string): CaptionLine[] {
  const { data: track, error } = trackSchema.safeParse(parseJson(text));
  const events = (track?.events ?? []).flatMap((event) => eventSchema.safeParse(event).data ?? []);
  if (track === undefined || (events.length === 0 && (track.events ?? []).length > 0)) {
    throw new JobError('captionsUnreadable', { cause: error });
  }
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

import { decodeHTMLStrict } from 'entities';
import type { CaptionLine, CaptionTrack } from '../../../contract/kinds/transcript-facts.ts';
import { captionLines, cleanText, type Cue, endAtNext, withoutRepeats } from './cue.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { z } from 'zod';
import { parseJson } from '../../../runtime/parse-json.ts';

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

/** Events that cannot be read are left out. An event without a duration lasts until the next one. @throws JobError `upstream_error` for other JSON */
export function parseJson3(text: string): CaptionLine[] {
  const { data: track, error } = trackSchema.safeParse(parseJson(text));
  const events = (track?.events ?? []).flatMap((event) => eventSchema.safeParse(event).data ?? []);
  if (track === undefined || (events.length === 0 && (track.events ?? []).length > 0))
    throw new JobError('captionsUnreadable', { cause: error });
  // Events with only a line feed scroll the window.
  const spoken = events
    .map((event) => ({ ...event, line: cleanText(event.segs.map(({ utf8 }) => utf8).join('')) }))
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

const TIME = String.raw`(-?)(?:(\d+):)?(\d{1,2}):(\d{1,2})(?:[.,] ?(\d+))?`;
/** `00:01.000 --> 00:02.500 align:start`; WebVTT may omit hours, and SubRip has a comma. Shifted files begin before 0. */
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s|$)`);

interface TimedTextDialect {
  isBlank(line: string): boolean;
  /** Removes markup, but no line feeds. */
  toPlain(text: string): string;
}

/** All lines outside cues are ignored. @throws JobError `upstream_error` when the text has no cue and is not WebVTT */
function readCues(text: string, dialect: TimedTextDialect): Cue[] {
  const whole = text.replace(/^\ufeff/, '');
  const found: { readonly startMs: number; readonly endMs: number; readonly texts: string[] }[] = [];
  let inside = false;
  for (const line of whole.split(/\r\n|\r|\n/)) {
    const timing = TIMING.exec(line);
    if (timing !== null) {
      // Some files of SubRip have no blank line before the number of the next cue.
      if (inside && /^\d+$/.test(found.at(-1)?.texts.at(-1) ?? '')) found.at(-1)?.texts.pop();
      found.push({ startMs: toMs(timing.slice(1, 6)), endMs: toMs(timing.slice(6, 11)), texts: [] });
      inside = true;
    } else if (dialect.isBlank(line)) {
      inside = false;
    } else if (inside) {
      found.at(-1)?.texts.push(line);
    }
  }
  // An error page or an empty body does not mean that there is no speech.
  if (found.length === 0 && !/^WEBVTT(?:\s|$)/.test(whole)) throw new JobError('captionsUnreadable');
  return found
    .map(({ texts, ...times }) => {
      const lines = dialect.toPlain(texts.join('\n')).split('\n').map(cleanText);
      return { ...times, lines: lines.filter((line) => line !== '') };
    })
    .filter((cue) => cue.lines.length > 0)
    .sort((a, b) => a.startMs - b.startMs);
}

function toMs([sign, hours, minutes, seconds, fraction]: readonly (string | undefined)[]): number {
  const whole = (Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (whole * 1000 + Number((fraction ?? '').padEnd(3, '0').slice(0, 3))) * (sign === '-' ? -1 : 1);
}

/** The supported formats, the best first: the platform's JSON does not repeat the lines of a rolling display. */
export const CAPTION_FORMATS = ['json3', 'vtt', 'srt'] as const;
export type CaptionFormat = (typeof CAPTION_FORMATS)[number];

/** Times of words and the tags of WebVTT. Any other `<` stays, as in "I <3 you". */
const VTT_TAGS = /<(?:\d+:)?\d\d:\d\d\.\d{3}>|<\/?(?:c|i|b|u|v|lang|ruby|rt)(?:[.\s][^<>]*)?>/g;
/** Tags that players support, and the positions of another format (`{\an8}`) in many files. */
const SRT_MARKUP = /<\/?(?:i|b|u|s|font)(?:\s[^<>]*)?>|\{\\[^{}]*\}/gi;

const DIALECTS: Readonly<Record<'vtt' | 'srt', TimedTextDialect>> = {
  vtt: {
    // A line of spaces does not end a cue: the recogniser's first cue has one.
    isBlank: (line) => line === '',
    toPlain: (marked) => decodeHTMLStrict(marked.replace(VTT_TAGS, '')),
  },
  // SubRip has no escapes: `&amp;` is literal.
  srt: { isBlank: (line) => line.trim() === '', toPlain: (marked) => marked.replace(SRT_MARKUP, '') },
};

/** @returns the lines by start time, without repetitions of automatic captions @throws JobError for another format */
export function parseCaptions(text: string, format: CaptionFormat, kind: CaptionTrack['kind']): CaptionLine[] {
  if (format === 'json3') return parseJson3(text);
  const cues = readCues(text, DIALECTS[format]);
  return captionLines(kind === 'automatic' ? withoutRepeats(cues) : cues);
}

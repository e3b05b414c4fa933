import { z } from 'zod';
import { optional } from './optional.ts';
import { writeRttm } from './rttm.ts';
import type { SpeakerLabels } from './speech.ts';
import { TRANSCRIPT_FORMATS, transcriptFormatSchema } from './transcript-formats.ts';
import type { TimedLine } from './transcript-exports.ts';

/** The formats in which a transcript with speaker labels can be had as a file, by the ending of its URL. */
export const speakerLabelFormatSchema = z.enum([...transcriptFormatSchema.options, 'rttm']);
export type SpeakerLabelFormat = z.infer<typeof speakerLabelFormatSchema>;

/** What the files are made of. */
export type ExportedLabels = Pick<SpeakerLabels, 'segments' | 'turns'>;

/**
 * @param mediaId how RTTM names the audio
 * @returns the text of the file, with its content type
 */
export function writeSpeakerLabels(
  labels: ExportedLabels,
  format: SpeakerLabelFormat,
  mediaId: string,
): { readonly contentType: string; readonly text: string } {
  // RTTM has no content type of its own.
  if (format === 'rttm') return { contentType: 'text/plain', text: rttmOf(labels, mediaId) };
  const { contentType, write } = TRANSCRIPT_FORMATS[format];
  return { contentType, text: write(labels.segments.map(lineOf)) };
}

function lineOf({ text, start, duration, speaker, wordStarts }: ExportedLabels['segments'][number]): TimedLine {
  return { startSeconds: start, durationSeconds: duration, text, speaker, ...optional('wordStarts', wordStarts) };
}

function rttmOf(labels: ExportedLabels, mediaId: string): string {
  const names = namesOfSpeakers(labels);
  return writeRttm(
    labels.turns.map(({ startSeconds, endSeconds, speaker }) => {
      return { file: mediaId, speaker: names.get(speaker) ?? '', startSeconds, endSeconds };
    }),
  );
}

/**
 * The labels of the text for the speakers of the turns, by how long they overlap. The text counts those who are heard to
 * say a word; somebody who only coughs has a turn, and takes the next number.
 */
function namesOfSpeakers({ segments, turns }: ExportedLabels): Map<number, string> {
  const names = new Map<number, string>();
  const labels = new Set(segments.map(({ speaker }) => speaker));
  const given = new Set<string>();
  for (const { speaker, label } of overlapsOf({ segments, turns })) {
    if (names.has(speaker) || given.has(label)) continue;
    names.set(speaker, label);
    given.add(label);
  }
  for (const { speaker } of turns) {
    if (names.has(speaker)) continue;
    const label = `Speaker ${String(labels.size + 1)}`;
    names.set(speaker, label);
    labels.add(label);
  }
  return names;
}

interface Overlap {
  readonly speaker: number;
  readonly label: string;
  readonly seconds: number;
}

/** Longest first. Both lists are in order of their start, so one pass is enough: hours of audio have thousands of both. */
function overlapsOf({ segments, turns }: ExportedLabels): Overlap[] {
  const sums = new Map<string, Overlap>();
  let open: ExportedLabels['turns'][number][] = [];
  let next = 0;
  for (const { start, duration, speaker: label } of segments) {
    const end = start + duration;
    for (; (turns[next]?.startSeconds ?? Infinity) < end; next += 1) open.push(...turns.slice(next, next + 1));
    open = open.filter(({ endSeconds }) => endSeconds > start);
    for (const { startSeconds, endSeconds, speaker } of open) {
      const key = `${String(speaker)} ${label}`;
      const shared = Math.max(0, Math.min(end, endSeconds) - Math.max(start, startSeconds));
      sums.set(key, { speaker, label, seconds: (sums.get(key)?.seconds ?? 0) + shared });
    }
  }
  return [...sums.values()].filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds);
}

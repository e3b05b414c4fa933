import { z } from 'zod';
import type { ItemStream } from '../http/streams.ts';
import type { KeptFacts } from '../kinds/contents.ts';
import { rttmLine } from './rttm.ts';
import type { KeptSegment, SpeakerLabels } from '../kinds/speaker-labels.ts';
import type { SpeakerTurn } from '../speech-results.ts';
import { TRANSCRIPT_FORMATS, transcriptFormatSchema } from './transcript-formats.ts';
import { writtenBy, type TimedLine } from './transcript-formats.ts';

/** The extensions of the URLs of exports. */
export const speakerLabelFormatSchema = z.enum([...transcriptFormatSchema.options, 'rttm']);
export type SpeakerLabelFormat = z.infer<typeof speakerLabelFormatSchema>;

export type ExportedLabels = Pick<KeptFacts<SpeakerLabels>, 'segments' | 'speakerTurns'>;

/** @param mediaId the name of the audio in RTTM */
export function writeSpeakerLabels(
  labels: ExportedLabels,
  format: SpeakerLabelFormat,
  mediaId: string,
): { readonly contentType: string; readonly chunks: () => AsyncIterable<string> } {
  // RTTM has no content type of its own.
  if (format === 'rttm') return { contentType: 'text/plain', chunks: () => rttmOf(labels, mediaId) };
  const { contentType, writer } = TRANSCRIPT_FORMATS[format];
  return { contentType, chunks: () => writtenBy(writer(), labels.segments.map(lineOf).pages()) };
}

function lineOf({ text, start, duration, speaker, wordStarts }: KeptSegment): TimedLine {
  return { startSeconds: start, durationSeconds: duration, text, speaker, wordStarts };
}

async function* rttmOf(labels: ExportedLabels, mediaId: string): AsyncGenerator<string> {
  const names = await namesOfSpeakers(labels);
  for await (const { startSeconds, endSeconds, speaker } of itemsOf(labels.speakerTurns)) {
    yield rttmLine({ file: mediaId, speaker: names.get(speaker) ?? '', startSeconds, endSeconds });
  }
}

/** Maps voices to labels of the text by their overlap. A speaker without words has no label and gets the next number. */
export async function namesOfSpeakers({ segments, speakerTurns }: ExportedLabels): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  const labels = new Set<string>();
  const given = new Set<string>();
  for (const { speaker, label } of await overlapsOf({ segments, speakerTurns }, labels)) {
    if (names.has(speaker) || given.has(label)) continue;
    names.set(speaker, label);
    given.add(label);
  }
  for await (const { speaker } of itemsOf(speakerTurns)) {
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

/** Longest first. Both lists are ordered by start, so one pass is enough. @param labels receives all labels of the text */
async function overlapsOf({ segments, speakerTurns }: ExportedLabels, labels: Set<string>): Promise<Overlap[]> {
  const sums = new Map<string, Overlap>();
  const coming = itemsOf(speakerTurns);
  let next = await coming.next();
  let open: SpeakerTurn[] = [];
  for await (const { start, duration, speaker: label } of itemsOf(segments)) {
    const end = start + duration;
    labels.add(label);
    for (; next.done !== true && next.value.startSeconds < end; next = await coming.next()) open.push(next.value);
    open = open.filter(({ endSeconds }) => endSeconds > start);
    for (const { startSeconds, endSeconds, speaker } of open) {
      const key = `${String(speaker)} ${label}`;
      const shared = Math.max(0, Math.min(end, endSeconds) - Math.max(start, startSeconds));
      sums.set(key, { speaker, label, seconds: (sums.get(key)?.seconds ?? 0) + shared });
    }
  }
  return [...sums.values()].filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds);
}

async function* itemsOf<Item>(list: ItemStream<Item>): AsyncGenerator<Item> {
  for await (const page of list.pages()) yield* page;
}

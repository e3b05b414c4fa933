import { z } from 'zod';
import type { ItemStream } from '../http/streams.ts';
import { keptFacts, type ContentsReader, type KeptFacts } from '../kinds/contents.ts';
import { rttmLine } from './rttm.ts';
import type { KeptSegment, SpeakerLabels } from '../kinds/speaker-labels.ts';
import { speakerNamesOf, type SpeakerNames } from '../kinds/speaker-names.ts';
import type { SpeakerTurn } from '../speech-results.ts';
import { TRANSCRIPT_FORMATS, transcriptFormatSchema, writtenBy, type TimedLine } from './transcript-formats.ts';

/** The extensions of the URLs of exports. */
export const speakerLabelFormatSchema = z.enum([...transcriptFormatSchema.options, 'rttm']);
export type SpeakerLabelFormat = z.infer<typeof speakerLabelFormatSchema>;

export interface ExportedLabels extends Pick<KeptFacts<SpeakerLabels>, 'segments' | 'speakerTurns'> {
  readonly names?: SpeakerNames | undefined;
}

/** @throws MissingContentsError */
export async function keptLabels(contents: ContentsReader, recordId: string): Promise<ExportedLabels> {
  const { segments, speakerTurns } = await keptFacts<SpeakerLabels>(contents, recordId);
  return { segments, speakerTurns, names: await speakerNamesOf(contents, recordId) };
}

/** @param mediaId the name of the audio in RTTM */
export function writeSpeakerLabels(
  labels: ExportedLabels,
  format: SpeakerLabelFormat,
  mediaId: string,
): { readonly contentType: string; readonly chunks: () => AsyncIterable<string> } {
  // RTTM has no content type of its own.
  if (format === 'rttm') return { contentType: 'text/plain', chunks: () => rttmOf(labels, mediaId) };
  const { contentType, writer } = TRANSCRIPT_FORMATS[format];
  const { segments, names } = labels;
  return { contentType, chunks: () => writtenBy(writer(), segments.map((segment) => lineOf(segment, names)).pages()) };
}

function lineOf({ text, start, duration, speaker, wordStarts }: KeptSegment, names: SpeakerNames = {}): TimedLine {
  return { startSeconds: start, durationSeconds: duration, text, speaker: names[speaker] ?? speaker, wordStarts };
}

async function* rttmOf(labels: ExportedLabels, mediaId: string): AsyncGenerator<string> {
  const { bySpeaker } = await labelsOfSpeakers(labels);
  for await (const { startSeconds, endSeconds, speaker } of itemsOf(labels.speakerTurns)) {
    const label = bySpeaker.get(speaker) ?? '';
    yield rttmLine({ file: mediaId, speaker: labels.names?.[label] ?? label, startSeconds, endSeconds });
  }
}

/** Maps voices to labels of the text by their overlap. A speaker without words has no label and gets the next number. */
export async function labelsOfSpeakers({
  segments,
  speakerTurns,
}: ExportedLabels): Promise<{ readonly bySpeaker: ReadonlyMap<number, string>; readonly labels: ReadonlySet<string> }> {
  const bySpeaker = new Map<number, string>();
  const labels = new Set<string>();
  const given = new Set<string>();
  for (const { speaker, label } of await overlapsOf({ segments, speakerTurns }, labels)) {
    if (bySpeaker.has(speaker) || given.has(label)) continue;
    bySpeaker.set(speaker, label);
    given.add(label);
  }
  for await (const { speaker } of itemsOf(speakerTurns)) {
    if (bySpeaker.has(speaker)) continue;
    const label = `Speaker ${String(labels.size + 1)}`;
    bySpeaker.set(speaker, label);
    labels.add(label);
  }
  return { bySpeaker, labels };
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

import { Context } from '@temporalio/activity';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_CONTAINERS } from '../contract/media-option-values.ts';
import { FIELD } from '../contract/kinds/media-options.ts';
import type { MediaPage } from '../contract/kinds/media.ts';
import { threeLetterCode } from '../contract/text/language-tags.ts';
import { srtWriter, type TimedLine } from '../contract/text/transcript-formats.ts';
import { UnreadableMediaError } from '../media/media-guard.ts';
import { onKeptTime, shifted, without, writeMetadata, type Chapter, type Span } from '../media/file-metadata.ts';
import type { OutputFile } from '../media/output-file.ts';
import { JobError } from '../runtime/job-error.ts';
import { optional } from '../runtime/optional.ts';
import { safeFileName } from '../runtime/file-names.ts';
import { readCaptions } from '../sources/vidnet/captions/read-captions.ts';
import type { ReportedSegment, SponsorBlock } from '../sources/vidnet/sponsorblock.ts';
import { readFileBy } from '../sources/vidnet/yt-dlp/read-file.ts';
import type { FetchedMedia } from '../sources/vidnet/yt-dlp/yt-dlp-source.ts';
import type { MediaDetails } from '../sources/vidnet/yt-dlp/yt-dlp-arguments.ts';
import { sourcesOf, writeVerified, type MadeFile, type MakerDeps } from './make-file.ts';
import type { RunningCall } from './source-call.ts';

export interface TailorDeps extends MakerDeps {
  readonly sponsorBlock: Pick<SponsorBlock, 'segments'>;
}

/** Writes the file as the options of the request say. What the page or SponsorBlock does not state is left out. */
export async function tailorFile(
  deps: TailorDeps,
  attempt: RunningCall,
  { page, mediaId, ...media }: FetchedMedia & { readonly page: MediaPage; readonly mediaId: string },
): Promise<MadeFile> {
  const { format, options = {} } = page;
  const { embed = [], section } = options;
  const { mark = [], remove = [] } = options.sponsorblock ?? {};
  const container = options.container ?? DEFAULT_CONTAINERS[format];
  const { pictures, sound, main } = await sourcesOf(deps, attempt, { ...media, format });
  // Chapters and segments have the times of the whole recording, also if only a section is fetched.
  const start = media.details?.section_start ?? 0;
  const whole = { start, end: start + main.probe.durationSeconds };
  const reported = await reportedSegments(deps, attempt, page);
  const isOf = (categories: readonly string[]) => (one: ReportedSegment) => categories.includes(one.category);
  const kept = without([whole], reported.filter(isOf(remove)));
  if (kept.length === 0) throw new JobError('sectionOutside');
  const present = without(kept, [{ start: media.details?.section_end ?? Infinity, end: Infinity }]);
  const onFile = <Kind extends Span>(spans: readonly Kind[]): readonly Kind[] => onKeptTime(spans, present);
  const marks = reported.filter(isOf(mark));
  const stated = embed.includes('chapters') ? (media.details?.chapters ?? []) : [];
  // In MP4, one chapter reaches to the next, so that marks need others around them.
  const around = stated.length === 0 && marks.length > 0 ? [{ title: media.details?.title, start_time: 0 }] : stated;
  const cuts = isDeepStrictEqual(kept, [whole]) ? [] : shifted(kept, -start);
  // A copied section begins with the key frame before it, which only the edit list of an MP4 hides.
  const isLonger = ['mkv', 'webm'].includes(container) && section?.exact !== true && cuts.length === 0;
  const lead = isLonger ? Math.max(0, ...[pictures, sound].map((source) => -(source?.probe.firstTime ?? 0))) : 0;
  const chapters = shifted(onFile(withMarks(around, marks)), lead);
  const coverPath = await coverOf(deps, attempt, media.coverPath);
  const metadataPath = join(attempt.folder, 'metadata');
  const tags = embed.includes('tags') ? tagsOf(media.details, media.title) : {};
  await writeMetadata(metadataPath, { tags, chapters, coverPath, isOgg: container === 'opus' });
  const made = await writeVerified(deps, attempt, {
    ...{ container, pictures, sound, metadataPath, coverPath, codec: options.codec, bitRate: options.bit_rate },
    ...{ isSection: section !== undefined, isExact: section?.exact === true },
    language: threeLetterCode(options.sound_language ?? media.details?.language),
    kept: cuts,
    captions: await embeddedCaptions(media.captionPaths ?? [], onFile, attempt),
  });
  const name = options.file_name && safeFileName(filledIn(options.file_name, media, mediaId), `.${container}`);
  return { ...made, ...optional('downloadName', name) };
}

/** An API that does not answer never fails a job. */
async function reportedSegments(deps: TailorDeps, { signal }: RunningCall, { options, videoId }: MediaPage) {
  const { mark = [], remove = [] } = options?.sponsorblock ?? {};
  const categories = [...mark, ...remove];
  if (categories.length === 0 || videoId === undefined) return [];
  return deps.sponsorBlock.segments(videoId, categories, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    Context.current().log.warn('SponsorBlock gave no segments', { error: String(error) });
    return [];
  });
}

/** @returns the path of the cover; undefined if there is none that can be read */
async function coverOf({ media }: TailorDeps, call: RunningCall, from?: string): Promise<string | undefined> {
  if (from === undefined) return undefined;
  const path = join(call.folder, 'cover.jpg');
  try {
    await media.writeCover(from, path, call);
    return path;
  } catch (error) {
    if (error instanceof UnreadableMediaError) return undefined;
    throw error;
  }
}

function withMarks(stated: MediaDetails['chapters'], marked: readonly ReportedSegment[]): readonly Chapter[] {
  const chapters = stated.map(({ title = '', start_time: start, end_time: end }) => ({
    ...{ title, start, end: end ?? Infinity },
  }));
  const marks = marked.map(({ category, start, end }) => ({ title: `SponsorBlock: ${category}`, start, end }));
  return [...chapters, ...marks]
    .reduce<readonly Chapter[]>((all, one) => [...without(all, [one]), one], [])
    .toSorted((a, b) => a.start - b.start);
}

function tagsOf(details: MediaDetails | undefined, title: string | undefined) {
  return {
    title: details?.track ?? details?.title ?? title,
    artist: details?.artist ?? details?.creator ?? details?.uploader ?? details?.channel,
    album: details?.album,
    date: dateOf(details),
    comment: details?.webpage_url,
  };
}

/** @returns `YYYY-MM-DD` */
function dateOf(details: MediaDetails | undefined): string | undefined {
  return (details?.release_date ?? details?.upload_date)?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3');
}

function filledIn(template: string, { details, title }: FetchedMedia, mediaId: string): string {
  const uploader = details?.uploader ?? details?.channel;
  const values: Readonly<Record<string, string | number | undefined>> = {
    ...{ title: details?.title ?? title, uploader, date: dateOf(details), id: mediaId },
    ...{ height: details?.height, language: details?.language },
  };
  return template.replaceAll(FIELD, (_field, name: string) => String(values[name] ?? ''));
}

/**
 * Writes captions with the times of a file that has only a part of the recording.
 *
 * @param paths files `captions.LANGUAGE.vtt`
 * @param onFile converts times of the recording into those of the file, and leaves out what the file does not have
 */
async function embeddedCaptions(
  paths: readonly string[],
  onFile: <Kind extends Span>(spans: readonly Kind[]) => readonly Kind[],
  call: RunningCall,
): Promise<NonNullable<OutputFile['captions']>> {
  const written: { path: string; language: string }[] = [];
  for (const path of paths) {
    const [, tag = '', format] = /^captions\.(.+)\.(\w+)$/.exec(basename(path)) ?? [];
    if (format !== 'vtt' && format !== 'srt') continue;
    const lines: (TimedLine & Span)[] = [];
    for await (const page of readFileBy(readCaptions, { path, format, kind: 'manual' }, call)) {
      lines.push(
        ...page.map((one) => ({ ...one, start: one.startSeconds, end: one.startSeconds + one.durationSeconds })),
      );
    }
    const writer = srtWriter();
    const cues = onFile(lines).flatMap(({ start, end, ...line }) => [
      ...writer.line({ ...line, startSeconds: start, durationSeconds: end - start }),
    ]);
    if (cues.length === 0) continue;
    await writeFile(`${path}.srt`, cues.join(''));
    written.push({ path: `${path}.srt`, language: threeLetterCode(tag) ?? 'und' });
  }
  return written;
}

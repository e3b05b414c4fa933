import type { Container } from '../contract/media-option-values.ts';
import type { MediaOptions } from '../contract/kinds/media-options.ts';
import { H264, OPUS_FILTER, pictureFilter, picturesOf, playsEverywhere, SOUND_FILTER } from './encoding.ts';
import { fileUrl, INPUT_GUARD } from './media-guard.ts';
import { codecOf, streamOf, type MediaSource, type Probe } from './probe.ts';
import type { Span } from './time-spans.ts';

/** A file that is written, of which only the first three are stated by default. Times are seconds. */
export interface OutputFile {
  readonly container: Container;
  readonly pictures: MediaSource | undefined;
  readonly sound: MediaSource | undefined;
  /** The kinds of streams that must not be copied. */
  readonly damaged?: readonly string[];
  readonly codec?: MediaOptions['codec'];
  /** In kbit/s. */
  readonly bitRate?: number | undefined;
  /** Whether everything is encoded again, so that it begins at the exact time. */
  readonly isExact?: boolean;
  /** What remains; empty: everything. */
  readonly kept?: readonly Span[];
  /** ISO 639-2. */
  readonly language?: string | undefined;
  /** With tags and chapters, in ffmpeg's format. */
  readonly metadataPath?: string | undefined;
  readonly coverPath?: string | undefined;
  readonly captions?: readonly { readonly path: string; readonly language: string }[];
}

interface Muxer {
  readonly name: string;
  /** The codecs of sound that are copied; undefined: any. */
  readonly copies?: readonly string[];
  readonly encode: (bitRate: number | undefined, channels: number | undefined) => readonly string[];
  readonly captions?: string;
}

const atRate = (codec: string, usual: number) => (bitRate?: number) =>
  ['-c:a', codec, '-b:a', `${String(bitRate ?? usual)}k`] as const;
const aac = atRate('aac', 192);
/** Opus has at most 256 kbit/s for each channel. */
const opus: Muxer['encode'] = (bitRate = 128, channels = 1) => atRate('libopus', Math.min(bitRate, 256 * channels))();
const MUXERS: Readonly<Record<Container, Muxer>> = {
  mp4: { name: 'mp4', copies: ['aac'], encode: aac, captions: 'mov_text' },
  m4a: { name: 'ipod', copies: ['aac'], encode: aac },
  mkv: { name: 'matroska', encode: aac, captions: 'subrip' },
  webm: { name: 'webm', copies: ['opus', 'vorbis'], encode: opus, captions: 'webvtt' },
  opus: { name: 'opus', copies: ['opus'], encode: opus },
  mp3: { name: 'mp3', copies: ['mp3'], encode: atRate('libmp3lame', 192) },
  flac: { name: 'flac', copies: ['flac'], encode: () => ['-c:a', 'flac'] },
  wav: { name: 'wav', copies: ['pcm_s16le'], encode: () => ['-c:a', 'pcm_s16le'] },
};
/** Pictures that WebM can hold. */
const WEBM_PICTURES = ['vp8', 'vp9', 'av1'];

/** @returns whether pictures and sound are copied; WebM cannot be copied of others */
export function copiedKinds(file: OutputFile): { readonly pictures: boolean; readonly sound: boolean } {
  const { container, pictures, sound, codec, bitRate, isExact, kept = [], damaged = [] } = file;
  const mayCopy = isExact !== true && kept.length === 0;
  const soundCodec = sound && codecOf(sound.probe, 'audio');
  const { copies } = MUXERS[container];
  return {
    pictures: mayCopy && !damaged.includes('video') && pictures !== undefined && fits(pictures, container, codec),
    sound:
      mayCopy &&
      bitRate === undefined &&
      !damaged.includes('audio') &&
      (copies === undefined || copies.includes(soundCodec ?? '')),
  };
}

function fits(pictures: MediaSource, container: Container, wanted: MediaOptions['codec']): boolean {
  const codec = codecOf(pictures.probe, 'video');
  if (container === 'webm') return WEBM_PICTURES.includes(codec ?? '');
  return container === 'mkv' || playsEverywhere(pictures.probe) || (wanted !== undefined && codec === wanted);
}

/** @returns ffmpeg's arguments before its output */
export function outputArguments(file: OutputFile): readonly string[] {
  const { container, pictures, sound, kept = [], captions = [], coverPath, metadataPath, language } = file;
  const copied = copiedKinds(file);
  const muxer = MUXERS[container];
  const sources = [...new Set([pictures, sound].filter((source) => source !== undefined))];
  // ffmpeg moves the start of each file to 0.
  const inputs = sources.map(({ path, probe }) => [
    ...['-itsoffset', String(delayAfter(pictures?.probe, probe)), ...INPUT_GUARD, '-i', fileUrl(path)],
  ]);
  const add = (path: string, ...format: readonly string[]): number => inputs.push([...format, '-i', fileUrl(path)]) - 1;
  const captionsAt = captions.map(({ path }) => add(path));
  const isAttached = coverPath !== undefined && container === 'mkv';
  // An Ogg file holds its cover as a comment.
  const coverAt = coverPath === undefined || isAttached || container === 'opus' ? undefined : add(coverPath);
  const metadataAt = String(metadataPath === undefined ? -1 : add(metadataPath, '-f', 'ffmetadata'));
  const streamOfKind = (source: MediaSource, kind: 'video' | 'audio'): string =>
    `${String(sources.indexOf(source))}:${String(streamOf(source.probe, kind)?.index ?? 0)}`;
  const filters = kept.length === 0 ? undefined : keptFilters(file, streamOfKind);
  const soundArguments = (source: MediaSource): readonly string[] => [
    ...['-map', filters === undefined ? streamOfKind(source, 'audio') : '[sound]'],
    ...(copied.sound || filters !== undefined ? [] : ['-af', soundFilter(container)]),
    ...(copied.sound ? ['-c:a', 'copy'] : muxer.encode(file.bitRate, streamOf(source.probe, 'audio')?.channels)),
    ...(language === undefined ? [] : ['-metadata:s:a:0', `language=${language}`]),
  ];
  const pictureArguments = (source: MediaSource): readonly string[] => {
    const { codec, colorTransfer } = streamOf(source.probe, 'video') ?? {};
    // Apple's players need this name of HEVC.
    const copy = ['-c:v:0', 'copy', ...(container === 'mp4' && codec === 'hevc' ? ['-tag:v:0', 'hvc1'] : [])];
    const encode = filters === undefined ? picturesOf(colorTransfer) : H264;
    const mapped = filters === undefined ? streamOfKind(source, 'video') : '[pictures]';
    return ['-map', mapped, ...(copied.pictures ? copy : encode)];
  };
  const n = pictures === undefined ? '0' : '1';
  const attached = ['-metadata:s:t:0', 'mimetype=image/jpeg', '-metadata:s:t:0', 'filename=cover.jpg'];
  return [
    ...inputs.flat(),
    ...(filters === undefined ? [] : ['-filter_complex', filters]),
    ...(pictures === undefined ? [] : pictureArguments(pictures)),
    ...(sound === undefined ? [] : soundArguments(sound)),
    ...captions.flatMap(({ language: spoken }, index) => [
      ...['-map', `${String(captionsAt[index])}:s:0`, `-metadata:s:s:${String(index)}`, `language=${spoken}`],
    ]),
    ...(captions.length === 0 || muxer.captions === undefined ? [] : ['-c:s', muxer.captions]),
    ...(isAttached ? ['-attach', coverPath, ...attached] : []),
    ...(coverAt === undefined ? [] : ['-map', `${String(coverAt)}:v:0`, `-c:v:${n}`, 'copy']),
    ...(coverAt === undefined ? [] : [`-disposition:v:${n}`, 'attached_pic']),
    ...['-map_metadata', metadataAt, '-map_chapters', metadataAt, '-f', muxer.name],
  ];
}

function soundFilter(container: Container): string {
  return MUXERS[container].encode === opus ? OPUS_FILTER : SOUND_FILTER;
}

/** How much later a file starts than the pictures, unless the files have different time lines. */
function delayAfter(pictures: Probe | undefined, { startSeconds }: Probe): number {
  const delay = startSeconds - (pictures?.startSeconds ?? startSeconds);
  return Math.abs(delay) < (pictures?.durationSeconds ?? Infinity) ? delay : 0;
}

/** Joins the parts that are kept. */
function keptFilters(
  { container, pictures, sound, kept = [] }: OutputFile,
  streamOfKind: (source: MediaSource, kind: 'video' | 'audio') => string,
): string {
  const partsOf = (source: MediaSource, kind: 'video' | 'audio'): string[] => {
    const [before, prefix] =
      kind === 'audio'
        ? [soundFilter(container), 'a']
        : [pictureFilter(streamOf(source.probe, kind)?.colorTransfer), ''];
    return kept.map(({ start, end }, n) => {
      const part = `${prefix}trim=${String(start)}:${String(end)},${prefix}setpts=PTS-STARTPTS`;
      return `[${streamOfKind(source, kind)}]${before},${part}[${kind}${String(n)}]`;
    });
  };
  const inputs = kept.map((_, n) => `${pictures ? `[video${String(n)}]` : ''}${sound ? `[audio${String(n)}]` : ''}`);
  const outputs = `${pictures ? '[pictures]' : ''}${sound ? '[sound]' : ''}`;
  const counts = `n=${String(kept.length)}:v=${pictures ? '1' : '0'}:a=${sound ? '1' : '0'}`;
  return [
    ...(pictures ? partsOf(pictures, 'video') : []),
    ...(sound ? partsOf(sound, 'audio') : []),
    `${inputs.join('')}concat=${counts}${outputs}`,
  ].join(';');
}

import type { Container } from '../contract/media-option-values.ts';
import type { MediaOptions } from '../contract/kinds/media-options.ts';
import { fileUrl, INPUT_GUARD } from './media-guard.ts';
import { codecOf, streamOf, type MediaSource, type Probe } from './probe.ts';
import type { Span } from './file-metadata.ts';

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
  readonly isSection?: boolean;
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

/** At this bit rate, speech and music sound like the source. */
export const AAC = ['-c:a', 'aac', '-b:a', '192k'] as const;
/** Fills gaps in the time stamps, also before the first, with silence. */
export const KEEP_TIME_LINE = 'aresample=async=1:first_pts=0';
/** Prepares sound for Opus, by the layouts that it can have. Some formats, such as TTA, state only the number of channels. */
const OPUS_FILTER = `${KEEP_TIME_LINE},aformat=channel_layouts=mono|stereo|3.0|quad|5.0|5.1|6.1|7.1`;
/** Prepares sound for AAC and other codecs. */
export const SOUND_FILTER = `${OPUS_FILTER}|4.0|5.0(side)|5.1(side)`;
/** Every common player supports 8-bit 4:2:0 with an even width and height. */
const H264 = ['-c:v:0', 'libx264', '-preset', 'veryfast', '-crf', '21', '-pix_fmt', 'yuv420p'] as const;
const EVEN_SIDES = 'scale=trunc(iw/2)*2:trunc(ih/2)*2';
/** High dynamic range (PQ and HLG), which would be washed out in 8 bits. */
const HDR_TRANSFERS = ['smpte2084', 'arib-std-b67'];

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
  const isHeld = copies === undefined || copies.includes(soundCodec ?? '');
  return {
    pictures: mayCopy && !damaged.includes('video') && pictures !== undefined && fits(pictures, container, codec),
    sound: mayCopy && bitRate === undefined && !damaged.includes('audio') && isHeld,
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
  const spoken = language === undefined ? [] : ['-metadata:s:a:0', `language=${language}`];
  const soundArguments = (source: MediaSource): readonly string[] => {
    const filter = `${cut(kept, 'audio')}${muxer.encode === opus ? OPUS_FILTER : SOUND_FILTER}`;
    const encode = ['-af', filter, ...muxer.encode(file.bitRate, streamOf(source.probe, 'audio')?.channels)];
    return ['-map', streamOfKind(source, 'audio'), ...(copied.sound ? ['-c:a', 'copy'] : encode), ...spoken];
  };
  const pictureArguments = (source: MediaSource): readonly string[] => {
    const { codec_name, color_transfer = '' } = streamOf(source.probe, 'video') ?? {};
    // Apple's players need this name of HEVC.
    const copy = ['-c:v:0', 'copy', ...(container === 'mp4' && codec_name === 'hevc' ? ['-tag:v:0', 'hvc1'] : [])];
    // Without sound, nothing is to be heard before the first picture that can be decoded.
    const begin = sound === undefined ? 'setpts=PTS-STARTPTS,' : '';
    const toneMapping = HDR_TRANSFERS.includes(color_transfer) ? toneMappingOf(color_transfer) : '';
    const encode = [...H264, '-filter:v:0', `${cut(kept, 'video')}${begin}${toneMapping}${EVEN_SIDES}`];
    return ['-map', streamOfKind(source, 'video'), ...(copied.pictures ? copy : encode)];
  };
  const n = pictures === undefined ? '0' : '1';
  const cover = [`-disposition:v:${n}`, 'attached_pic'];
  const attached = ['-metadata:s:t:0', 'mimetype=image/jpeg', '-metadata:s:t:0', 'filename=cover.jpg'];
  return [
    ...inputs.flat(),
    ...(pictures === undefined ? [] : pictureArguments(pictures)),
    ...(sound === undefined ? [] : soundArguments(sound)),
    ...captions.flatMap((one, index) => [
      ...['-map', `${String(captionsAt[index])}:s:0`, `-metadata:s:s:${String(index)}`, `language=${one.language}`],
    ]),
    ...(captions.length === 0 || muxer.captions === undefined ? [] : ['-c:s', muxer.captions]),
    ...(isAttached ? ['-attach', coverPath, ...attached] : []),
    ...(coverAt === undefined ? [] : ['-map', `${String(coverAt)}:v:0`, `-c:v:${n}`, 'copy', ...cover]),
    ...['-map_metadata', metadataAt, '-map_chapters', metadataAt, '-f', muxer.name],
  ];
}

/** How much later a file starts than the pictures, unless the files have different time lines. */
function delayAfter(pictures: Probe | undefined, { start_time: start }: Probe): number {
  const delay = start - (pictures?.start_time ?? start);
  return Math.abs(delay) < (pictures?.durationSeconds ?? Infinity) ? delay : 0;
}

/** A filter that leaves out what is not kept, and moves the rest together; its last character is a comma. */
function cut(kept: readonly Span[], kind: 'video' | 'audio'): string {
  if (kept.length === 0) return '';
  // Sound is left out by frames, which are made short: at 48 kHz, 128 samples are 3 ms.
  const [prefix, frames] = kind === 'audio' ? ['a', 'asetnsamples=n=128:p=0,'] : ['', ''];
  const selected = kept.map(({ start, end }) => `gte(t,${start})*lt(t,${end})`).join('+');
  const removed = kept.map(({ start }, n) => `gte(T,${start})*${start - (kept[n - 1]?.end ?? 0)}`).join('+');
  return `${frames}${prefix}select='${selected}',${prefix}setpts='PTS-(${removed})/TB',`;
}

/**
 * A filter that converts HDR to BT.709 in linear light; its last character is a comma. Streams often state the transfer only, so
 * the rest is assumed as in BT.2100.
 */
function toneMappingOf(transfer: string): string {
  const linear = `zscale=tin=${transfer}:pin=bt2020:min=bt2020nc:t=linear:npl=100,format=gbrpf32le`;
  return `sidedata=mode=delete,${linear},tonemap=hable:desat=0,zscale=p=bt709:t=bt709:m=bt709:r=tv,`;
}

/** @returns whether the pictures can be copied: players show HDR in 8 bits in different ways, most of them pale */
function playsEverywhere(pictures: Probe): boolean {
  const stream = streamOf(pictures, 'video');
  const isHdr = HDR_TRANSFERS.includes(stream?.color_transfer ?? '');
  return stream?.codec_name === 'h264' && !isHdr && ['yuv420p', 'yuvj420p'].includes(stream.pix_fmt ?? '');
}

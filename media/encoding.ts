import { streamOf, type Probe } from './probe.ts';

/** At this bit rate, speech and music sound like the source. */
export const AAC = ['-c:a', 'aac', '-b:a', '192k'] as const;
/** Fills gaps in the time stamps, also before the first, with silence. */
export const KEEP_TIME_LINE = 'aresample=async=1:first_pts=0';
/** Prepares sound for Opus, by the layouts that it can have. Some formats, such as TTA, state only the number of channels. */
export const OPUS_FILTER = `${KEEP_TIME_LINE},aformat=channel_layouts=mono|stereo|3.0|quad|5.0|5.1|6.1|7.1`;
/** Prepares sound for AAC and other codecs. */
export const SOUND_FILTER = `${OPUS_FILTER}|4.0|5.0(side)|5.1(side)`;
/** Every common player supports 8-bit 4:2:0 with an even width and height. */
export const H264 = ['-c:v:0', 'libx264', '-preset', 'veryfast', '-crf', '21', '-pix_fmt', 'yuv420p'] as const;
const EVEN_SIDES = 'scale=trunc(iw/2)*2:trunc(ih/2)*2';
/** High dynamic range (PQ and HLG), which would be washed out in 8 bits. */
const HDR_TRANSFERS = ['smpte2084', 'arib-std-b67'];

/** @returns the filter that prepares pictures to be encoded */
export function pictureFilter(colorTransfer = ''): string {
  const toneMapping = HDR_TRANSFERS.includes(colorTransfer) ? `${toneMappingOf(colorTransfer)},` : '';
  return `${toneMapping}${EVEN_SIDES}`;
}

/** Converts to BT.709 in linear light. Streams often state the transfer only, so the rest is assumed as in BT.2100. */
function toneMappingOf(transfer: string): string {
  const linear = `zscale=tin=${transfer}:pin=bt2020:min=bt2020nc:t=linear:npl=100,format=gbrpf32le`;
  return `sidedata=mode=delete,${linear},tonemap=hable:desat=0,zscale=p=bt709:t=bt709:m=bt709:r=tv`;
}

/** @returns whether the pictures can be copied: players show HDR in 8 bits in different ways, most of them pale */
export function playsEverywhere(pictures: Probe): boolean {
  const stream = streamOf(pictures, 'video');
  const isHdr = HDR_TRANSFERS.includes(stream?.color_transfer ?? '');
  return stream?.codec_name === 'h264' && !isHdr && ['yuv420p', 'yuvj420p'].includes(stream.pix_fmt ?? '');
}

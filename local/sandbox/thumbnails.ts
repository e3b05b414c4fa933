import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { bytesSource, type BodySource } from './body.ts';
import type { CatalogueChannel, CatalogueVideo } from './catalogue.ts';

export interface Thumbnail {
  readonly id: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

type Sizes = Readonly<Record<string, readonly [width: number, height: number]>>;
const VIDEO_SIZES = { default: [120, 90], medium: [320, 180], high: [480, 360] } as const;
const AVATAR_SIZES = { default: [88, 88], medium: [240, 240], high: [800, 800] } as const;
const BANNER_SIZE = [1060, 175] as const;

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** 8 bits a channel, red, green and blue, no interlace (PNG specification, 11.2.1). */
const TRUECOLOUR = [8, 2, 0, 0, 0];

/** Smallest first; the names are the Data API's. */
export function videoThumbnails(video: CatalogueVideo, baseUrl: string): Thumbnail[] {
  return sized(VIDEO_SIZES, `${baseUrl}/vi/${video.id}`);
}

export function avatars(channel: Pick<CatalogueChannel, 'id'>, baseUrl: string): Thumbnail[] {
  return sized(AVATAR_SIZES, `${baseUrl}/avatar/${channel.id}`);
}

export function banner(channel: CatalogueChannel, baseUrl: string): Thumbnail {
  const [width, height] = BANNER_SIZE;
  return { id: 'banner', url: `${baseUrl}/avatar/${channel.id}/banner.png`, width, height };
}

/**
 * What `/vi/ID/NAME.png` and `/avatar/ID/NAME.png` answer.
 *
 * @param kind `vi` or `avatar`
 * @returns undefined for a size that there is not
 */
export function thumbnailSource(kind: string, id: string, file: string): BodySource | undefined {
  const sizes: Sizes = kind === 'vi' ? VIDEO_SIZES : { ...AVATAR_SIZES, banner: BANNER_SIZE };
  const found = Object.entries(sizes).find(([name]) => `${name}.png` === file);
  if (found === undefined) return undefined;
  const [, [width, height]] = found;
  return bytesSource(picture(`${kind}/${id}`, width, height), 'image/png');
}

function sized(sizes: Sizes, folder: string): Thumbnail[] {
  return Object.entries(sizes).map(([id, [width, height]]) => ({
    id,
    url: `${folder}/${id}.png`,
    width,
    height,
  }));
}

/** A PNG of one colour; the name chooses the colour. */
export function picture(name: string, width: number, height: number): Buffer {
  const colour = createHash('sha256').update(name).digest().subarray(0, 3);
  const row = Buffer.concat([Buffer.of(0), ...Array.from({ length: width }, () => colour)]);
  const pixels = Buffer.concat(Array.from({ length: height }, () => row));
  const header = Buffer.alloc(8);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, Buffer.from(TRUECOLOUR)])),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { bytesSource, type BodySource } from './body.ts';
import type { CatalogueChannel, CatalogueVideo } from './catalogue.ts';

const WIDTH = 320;
const HEIGHT = 240;
const SHADES = 64;
const [SUN, FAR, NEAR] = [SHADES, SHADES + 1, SHADES + 2];
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function landscape(seed: string): Buffer {
  const dice = createHash('sha256').update(seed).digest();
  const part = (index: number): number => (dice[index] ?? 0) / 255;
  const [hue, sunX, sunY, sunSize] = [part(0) * 360, 60 + part(1) * 200, 40 + part(2) * 70, 14 + part(3) * 16];
  const hill = (index: number, base: number, height: number) => (x: number) =>
    base - height * Math.sin((x / WIDTH) * (2 + part(index) * 3) + part(index + 1) * 6);
  const [far, near] = [hill(4, 165, 22), hill(6, 200, 18)];
  const sky = Array.from({ length: SHADES }, (_, shade) =>
    colour(hue + shade / 2, 0.55, 0.35 + (0.45 * shade) / SHADES),
  );
  const palette = Buffer.concat([
    ...sky,
    colour(hue + 40, 0.9, 0.85),
    colour(hue + 20, 0.35, 0.4),
    colour(hue, 0.4, 0.22),
  ]);
  const rows = Buffer.alloc((WIDTH + 1) * HEIGHT);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const isSun = (x - sunX) ** 2 + (y - sunY) ** 2 < sunSize ** 2;
      const above = isSun ? SUN : Math.min(SHADES - 1, Math.floor((y / far(x)) * SHADES));
      rows[y * (WIDTH + 1) + 1 + x] = y > near(x) ? NEAR : y > far(x) ? FAR : above;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits per pixel, which index the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const chunks = [
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.of()),
  ];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

function colour(hue: number, saturation: number, lightness: number): Buffer {
  const spread = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const position = (offset + hue / 30) % 12;
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(position - 3, 9 - position, 1))));
  };
  return Buffer.of(channel(0), channel(8), channel(4));
}

export type Thumbnail = ReturnType<typeof sized>[number];

type Sizes = Readonly<Record<string, readonly [width: number, height: number]>>;
const VIDEO_SIZES = { default: [120, 90], medium: [320, 180], high: [480, 360] } as const;
const AVATAR_SIZES = { default: [88, 88], medium: [240, 240], high: [800, 800] } as const;
const BANNER_SIZE = [1060, 175] as const;

export function videoThumbnails(video: CatalogueVideo, baseUrl: string) {
  return sized(VIDEO_SIZES, `${baseUrl}/vi/${video.id}`);
}

export function avatars(channel: Pick<CatalogueChannel, 'id'>, baseUrl: string) {
  return sized(AVATAR_SIZES, `${baseUrl}/avatar/${channel.id}`);
}

export function banner(channel: CatalogueChannel, baseUrl: string): Thumbnail {
  const [width, height] = BANNER_SIZE;
  return { id: 'banner', url: `${baseUrl}/avatar/${channel.id}/banner.png`, width, height };
}

/** Answers `/vi/ID/NAME.png` and `/avatar/ID/NAME.png`. @returns undefined for an unknown size */
export function thumbnailSource(kind: string, id: string, file: string): BodySource | undefined {
  const sizes: Sizes = kind === 'vi' ? VIDEO_SIZES : { ...AVATAR_SIZES, banner: BANNER_SIZE };
  return Object.keys(sizes).some((name) => `${name}.png` === file) ? pictureSource(id) : undefined;
}

export function pictureSource(seed: string): BodySource {
  return bytesSource(landscape(seed), 'image/png');
}

function sized(sizes: Sizes, folder: string) {
  return Object.entries(sizes).map(([id, [width, height]]) => ({
    id,
    url: `${folder}/${id}.png`,
    width,
    height,
  }));
}

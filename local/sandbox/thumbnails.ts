import { bytesSource, type BodySource } from './body.ts';
import type { CatalogueChannel, CatalogueVideo } from './catalogue.ts';
import { landscape } from './landscape.ts';

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

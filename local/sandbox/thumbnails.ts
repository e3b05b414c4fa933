import type { BodySource } from './body.ts';
import type { CatalogueChannel, CatalogueVideo } from './catalogue.ts';
import { picture } from './picture.ts';
import { bytesSource } from './sources.ts';

export interface Thumbnail {
  readonly name: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

type Sizes = Readonly<Record<string, readonly [width: number, height: number]>>;
const VIDEO_SIZES = { default: [120, 90], medium: [320, 180], high: [480, 360] } as const;
const AVATAR_SIZES = { default: [88, 88], medium: [240, 240], high: [800, 800] } as const;
const BANNER_SIZE = [1060, 175] as const;

/** Smallest first; the names are the Data API's. */
export function videoThumbnails(video: CatalogueVideo, baseUrl: string): Thumbnail[] {
  return sized(VIDEO_SIZES, `${baseUrl}/vi/${video.id}`);
}

export function avatars(channel: Pick<CatalogueChannel, 'id'>, baseUrl: string): Thumbnail[] {
  return sized(AVATAR_SIZES, `${baseUrl}/avatar/${channel.id}`);
}

export function banner(channel: CatalogueChannel, baseUrl: string): Thumbnail {
  const [width, height] = BANNER_SIZE;
  return { name: 'banner', url: `${baseUrl}/avatar/${channel.id}/banner.png`, width, height };
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
  return Object.entries(sizes).map(([name, [width, height]]) => ({
    ...{ name, url: `${folder}/${name}.png`, width, height },
  }));
}

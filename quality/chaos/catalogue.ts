import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogueSchema, type VideoEntry } from '../../local/sandbox/catalogue.ts';
import { BUILT_IN_CATALOGUE } from '../../local/sandbox/server.ts';

/** Of these cases a copy is a subject of its own that can be had whole, within seconds. */
const isShort = (video: VideoEntry): boolean => ['ordinary', 'silent'].includes(video.case);
const VIDEOS_PER_CHANNEL = 6;

/**
 * Writes a catalogue for the sandbox: the built-in one, and some of its videos again and again under other ids, in channels
 * of their own, since a run needs more subjects than the built-in one has.
 *
 * @param folder made when missing
 * @param copies how many videos to add
 * @param isCopied which ones; the short ones
 * @returns the ids of the copies
 */
export async function writeCatalogue(folder: string, copies: number, isCopied = isShort): Promise<readonly string[]> {
  const builtIn = catalogueSchema.parse(JSON.parse(await readFile(join(BUILT_IN_CATALOGUE, 'catalogue.json'), 'utf8')));
  const templates = builtIn.videos.filter(isCopied);
  const channels = Array.from({ length: Math.ceil(copies / VIDEOS_PER_CHANNEL) }, (_, index) => {
    const number = String(index + 1).padStart(4, '0');
    return {
      handle: `@chaos-${number}`,
      id: `UCchaos-channel-no-${number}x`,
      title: `Chaos ${number}`,
      follower_count: 100 + index,
      case: 'ordinary',
    };
  });
  const videos = Array.from({ length: copies }, (_, index) => ({
    ...templates[index % templates.length],
    id: `chaos${String(index + 1).padStart(6, '0')}`,
    channel: channels[Math.floor(index / VIDEOS_PER_CHANNEL)]?.handle,
  }));
  const catalogue = { channels: [...builtIn.channels, ...channels], videos: [...builtIn.videos, ...videos] };
  await mkdir(folder, { recursive: true });
  await cp(join(BUILT_IN_CATALOGUE, 'media'), join(folder, 'media'), { recursive: true });
  await writeFile(join(folder, 'catalogue.json'), JSON.stringify(catalogue));
  return videos.map(({ id }) => id);
}

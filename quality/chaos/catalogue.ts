import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogueSchema, type VideoEntry } from '../../local/sandbox/catalogue.ts';
import { BUILT_IN_CATALOGUE } from '../../local/sandbox/server.ts';

/** Videos of these cases download completely within seconds. */
const isShort = (video: VideoEntry): boolean => ['ordinary', 'silent'].includes(video.case);
const VIDEOS_PER_CHANNEL = 6;

/**
 * Writes a catalogue with the built-in videos and copies of some of them under new IDs, since a run needs more subjects.
 *
 * @param copies the number of videos to add
 * @param isCopied selects the videos to copy; by default the short ones
 * @returns the IDs of the copies
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

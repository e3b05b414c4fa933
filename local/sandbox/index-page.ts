import type { Catalogue } from './catalogue.ts';
import type { FurtherPlatform } from './further-platform.ts';

/** The list of contents for people and tests. */
export function indexPage(catalogue: Catalogue, platforms: readonly FurtherPlatform[], baseUrl: string): object {
  return {
    videos: catalogue.videos.map((video) => ({
      id: video.id,
      title: video.title,
      case: video.case,
      ...(video.durationSeconds === undefined ? {} : { duration: video.durationSeconds }),
    })),
    channels: catalogue.channels.map((channel) => ({ url: `${baseUrl}/${channel.handle}`, case: channel.case })),
    accounts: platforms.flatMap((platform) => platform.accounts()),
    posts: platforms.flatMap((platform) => platform.posts()),
  };
}

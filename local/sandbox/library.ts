import type { Catalogue, CatalogueChannel, CatalogueVideo } from './catalogue.ts';

/** A list of videos that the sandbox serves. */
export interface ServedPlaylist {
  readonly id: string;
  readonly title: string;
  readonly channel: CatalogueChannel;
  readonly videos: readonly CatalogueVideo[];
}

export type Library = ReturnType<typeof createLibrary>;

/** Cases of videos that the platform does not list. */
const UNLISTED = ['private', 'removed'];

export function createLibrary(catalogue: Catalogue) {
  const all = [...catalogue.videos, ...catalogue.generatedVideos];
  const videos = new Map(all.map((video) => [video.id, video]));
  const channels = new Map(
    catalogue.channels.flatMap((channel) =>
      [
        channel.handle.toLowerCase(),
        `channel/${channel.id}`,
        channel.custom_name && `c/${channel.custom_name.toLowerCase()}`,
        channel.user_name && `user/${channel.user_name.toLowerCase()}`,
      ].flatMap((path) => (path === undefined ? [] : [[path, channel] as const])),
    ),
  );
  const uploads = new Map(
    catalogue.channels.map((channel) => [
      channel,
      all
        .filter((video) => video.channel === channel && !UNLISTED.includes(video.case))
        .sort((a, b) => b.published_at.getTime() - a.published_at.getTime()),
    ]),
  );
  const uploadsOf = (channel: CatalogueChannel): readonly CatalogueVideo[] => uploads.get(channel) ?? [];
  /** As on the platform, the ID of a channel also gives that of the list of its uploads, and of its uploads of one kind. */
  const uploadsAt = (id: string): ServedPlaylist | undefined => {
    const [, kind = '', rest] = /^UU(LF|SH|LV)?(.{22})$/.exec(id) ?? [];
    const channel = rest === undefined ? undefined : channels.get(`channel/UC${rest}`);
    if (channel === undefined || channel.case === 'removed') return undefined;
    const videos = uploadsOf(channel).filter((video) => kind === '' || kindOf(video) === kind);
    // The platform has no list of a kind that was never uploaded.
    return videos.length === 0 && kind !== ''
      ? undefined
      : { id, title: `Uploads from ${channel.title}`, channel, videos };
  };
  const playlists = new Map(
    catalogue.playlists.map(({ length, ...playlist }) => {
      const all = uploadsOf(playlist.channel);
      const videos = Array.from({ length: all.length === 0 ? 0 : length }, (_, index) => all[index % all.length]);
      return [playlist.id, { ...playlist, videos: videos.filter((video) => video !== undefined) }] as const;
    }),
  );
  return {
    catalogue,
    video: (id: string): CatalogueVideo | undefined => videos.get(id),
    /** @param path `@handle`, `channel/ID`, `c/NAME` or `user/NAME`; only IDs are case-sensitive */
    channel: (path: string): CatalogueChannel | undefined =>
      channels.get(path.startsWith('channel/') ? path : path.toLowerCase()),
    uploads: uploadsOf,
    playlist: (id: string): ServedPlaylist | undefined => playlists.get(id) ?? uploadsAt(id),
    /** Adds a video at the top of its channel, or replaces it where it is. */
    put(video: CatalogueVideo): void {
      const list = uploads.get(video.channel);
      const index = list?.findIndex(({ id }) => id === video.id) ?? -1;
      if (index < 0) list?.unshift(video);
      else list?.splice(index, 1, video);
      videos.set(video.id, video);
    },
    /** Removes a video, or moves it to the top of its channel. */
    take(video: CatalogueVideo, { isPinned }: { readonly isPinned: boolean }): void {
      const list = uploads.get(video.channel);
      const index = list?.findIndex(({ id }) => id === video.id) ?? -1;
      if (index >= 0) list?.splice(index, 1);
      if (isPinned) list?.unshift(video);
      else videos.delete(video.id);
    },
  };
}

function kindOf({ case: name, isShort }: CatalogueVideo): 'LF' | 'SH' | 'LV' {
  if (name === 'live' || name === 'upcoming') return 'LV';
  return isShort === true ? 'SH' : 'LF';
}

import type { Catalogue, CatalogueChannel, CataloguePlaylist, CatalogueVideo } from './catalogue.ts';

export type Library = ReturnType<typeof createLibrary>;

/** Cases that the platform does not list. */
const UNLISTED = ['private', 'removed'];

export function createLibrary(catalogue: Catalogue) {
  const all = [...catalogue.videos, ...catalogue.generatedVideos];
  const videos = new Map(all.map((video) => [video.id, video]));
  const channels = new Map(
    catalogue.channels.flatMap((channel) =>
      [
        channel.handle.toLowerCase(),
        `channel/${channel.id}`,
        channel.customName && `c/${channel.customName.toLowerCase()}`,
        channel.userName && `user/${channel.userName.toLowerCase()}`,
      ].flatMap((path) => (path === undefined ? [] : [[path, channel] as const])),
    ),
  );
  const uploads = new Map(
    catalogue.channels.map((channel) => [
      channel,
      all
        .filter((video) => video.channel === channel && !UNLISTED.includes(video.case))
        .sort((a, b) => b.publishedAt.getTime() - a.publishedAt.getTime()),
    ]),
  );
  const uploadsOf = (channel: CatalogueChannel): readonly CatalogueVideo[] => uploads.get(channel) ?? [];
  const playlists = new Map<string, CataloguePlaylist>([
    ...catalogue.channels.map((channel) => {
      // As on the platform, the ID of a channel also gives that of the list of its uploads.
      const id = channel.id.replace(/^UC/, 'UU');
      return [id, { id, title: `Uploads from ${channel.title}`, channel, length: uploadsOf(channel).length }] as const;
    }),
    ...catalogue.playlists.map((playlist) => [playlist.id, playlist] as const),
  ]);
  return {
    catalogue,
    video: (id: string): CatalogueVideo | undefined => videos.get(id),
    /** @param path `@handle`, `channel/ID`, `c/NAME` or `user/NAME`; only IDs are case-sensitive */
    channel: (path: string): CatalogueChannel | undefined =>
      channels.get(path.startsWith('channel/') ? path : path.toLowerCase()),
    uploads: uploadsOf,
    playlist: (id: string): CataloguePlaylist | undefined => playlists.get(id),
  };
}

import type { CatalogueVideo } from '../catalogue.ts';
import { flatten } from '../comments.ts';
import { UNPLAYABLE } from '../playability.ts';
import { videoThumbnails } from '../thumbnails.ts';
import type { ApiCall } from './query.ts';
import { apiDuration, apiTime, listResponse, resource, thumbnailMap } from './resources.ts';

const HD_LINES = 720;

/** videos.list by `id`, without private and removed videos. */
export function listVideos(call: ApiCall): object {
  const { query, library } = call;
  const items = query.ids('id').flatMap((id) => {
    const video = library.video(id);
    return video === undefined || ['private', 'removed'].includes(video.case) ? [] : [videoResource(video, call)];
  });
  return listResponse('video', items, { totalResults: items.length });
}

function videoResource(video: CatalogueVideo, { query, baseUrl }: ApiCall): object {
  return {
    ...resource('video', video.id),
    ...query.parts({
      snippet: {
        publishedAt: apiTime(video.publishedAt),
        title: video.title,
        description: video.description,
        thumbnails: thumbnailMap(videoThumbnails(video, baseUrl)),
        tags: video.tags.length === 0 ? undefined : video.tags,
        liveBroadcastContent: video.case === 'live' ? 'live' : video.case === 'upcoming' ? 'upcoming' : 'none',
      },
      contentDetails: contentDetails(video),
      statistics: {
        viewCount: String(video.viewCount),
        likeCount: video.likeCount?.toString(),
        commentCount: video.comments && String(flatten(video.comments).length),
      },
      status: { privacyStatus: 'public' },
    }),
  };
}

function contentDetails(video: CatalogueVideo): object {
  const allowed = UNPLAYABLE[video.case]?.availableCountries;
  const lines = Math.max(0, ...video.formats.map(({ facts }) => facts.height ?? 0));
  return {
    duration: apiDuration(video.durationSeconds),
    definition: lines >= HD_LINES ? 'hd' : 'sd',
    // Only manual captions count.
    caption: String(video.captions.some(({ kind }) => kind === 'manual')),
    regionRestriction: allowed && { allowed },
  };
}

import type { ContentsReader } from '../contents.ts';
import { formatMoney } from '../money.ts';
import { optional } from '../optional.ts';
import type { SuccessRecord } from '../records.ts';
import type { ChannelProfile, ChannelVideoItem } from '../results/channels.ts';
import { ItemStream, type Streamable } from '../streams.ts';
import type { ChannelFacts, ChannelVideo } from '../vidnet.ts';

/** The channel profile (specification, section 2.6). */
export function renderChannelProfile(
  record: SuccessRecord,
  facts: ChannelFacts,
  contents: ContentsReader,
): Streamable<ChannelProfile> {
  const cost = formatMoney(record.charge);
  const list = {
    recordId: record.contentsOf ?? record.id,
    name: 'videos' as const,
    pieces: record.lists?.['videos']?.pieces ?? 0,
  };
  return {
    status: 'success',
    vidnet_id: facts.channelId,
    title: facts.title,
    ...optional('description', facts.description),
    url: facts.url,
    ...optional('thumbnail', facts.thumbnailUrl),
    ...optional('country', facts.country),
    ...optional('total_media', facts.mediaCount),
    ...optional('subscriber_count', facts.subscriberCount),
    ...optional('total_views', facts.viewCount),
    ...optional('creation_date', facts.createdAt),
    cost,
    source: 'api',
    videos: new ItemStream(() => contents.pages(list)).map(renderVideo),
    download: {
      id: record.id,
      vidnet_video_id: facts.channelId,
      type: 'list',
      cost,
      status: record.status,
      response: null,
      created_at: record.createdAt,
    },
  };
}

function renderVideo(video: ChannelVideo): ChannelVideoItem {
  return {
    vidnet_id: video.videoId,
    title: video.title,
    ...optional('thumbnail', video.thumbnailUrl),
    ...optional('published_at', video.publishedAt),
    ...optional('duration', video.durationSeconds),
  };
}

import { failureFor } from '../../../contract/failures.ts';
import type { ChannelReference } from '../../../contract/urls/channel-urls.ts';
import { JobError } from '../../../runtime/job-error.ts';
import type { SourceCall } from '../../source-call-options.ts';
import type { ChannelSource, DescribedChannel } from '../channel-source.ts';
import { bounded, DESCRIPTION_MAX_CHARS, TITLE_MAX_CHARS } from '../fact-schemas.ts';
import { channelListSchema } from './data-api-schemas.ts';
import { listChannelVideos } from './channel-videos.ts';
import type { DataApi } from './data-api-client.ts';

export interface DataApiChannelSettings {
  readonly channelUrlTemplate: string;
  /** Resolves a custom URL (`/c/NAME`), for which the Data API has no method, to a channel ID. @throws JobError */
  readonly resolveCustom: (reference: ChannelReference, call: SourceCall) => Promise<string>;
}

/**
 * Channels from the Data API. Private and deleted videos stay in a channel's playlist as items without a name. They are not
 * listed, because `videos.list` omits them.
 */
export function createDataApiChannels(api: DataApi, settings: DataApiChannelSettings): ChannelSource {
  return {
    async describe(reference, call) {
      const request = api.begin(call);
      const filter = await filterOf(reference, () => settings.resolveCustom(reference, call));
      const { items } = await request({
        resource: 'channels',
        params: { part: ['snippet', 'statistics', 'brandingSettings'], ...filter },
        schema: channelListSchema,
      });
      const [channel] = items;
      if (channel === undefined) throw new JobError(failureFor('subjectRemoved', { subject: 'channel' }));
      return toFacts(channel, settings.channelUrlTemplate);
    },
    pages: (channelId, from, call) => listChannelVideos(api.begin(call), channelId, from),
  };
}

type ChannelFilter = { readonly id: string } | { readonly forHandle: string } | { readonly forUsername: string };

async function filterOf(reference: ChannelReference, resolveCustom: () => Promise<string>): Promise<ChannelFilter> {
  switch (reference.kind) {
    case 'id':
      return { id: reference.name };
    case 'handle':
      return { forHandle: `@${reference.name}` };
    case 'user':
      return { forUsername: reference.name };
    case 'custom':
      return { id: await resolveCustom() };
  }
}

type Channel = (typeof channelListSchema)['_output']['items'][number];

function toFacts({ id, snippet, statistics, brandingSettings }: Channel, urlTemplate: string): DescribedChannel {
  const { customUrl, description } = snippet;
  return {
    facts: {
      vidnet_id: id,
      title: bounded(snippet.title, TITLE_MAX_CHARS),
      description: description && bounded(description, DESCRIPTION_MAX_CHARS),
      url: urlTemplate.replaceAll('{path}', `channel/${encodeURIComponent(id)}`),
      thumbnail: snippet.thumbnails,
      country: snippet.country ?? brandingSettings?.channel?.country,
      total_media: statistics?.videoCount,
      // The API reports a hidden count as 0.
      subscriber_count: statistics?.hiddenSubscriberCount === true ? undefined : statistics?.subscriberCount,
      total_views: statistics?.viewCount,
      creation_date: snippet.publishedAt,
    },
    // Old custom names are in the same field, without the @.
    handle: customUrl?.startsWith('@') === true ? customUrl.toLowerCase() : undefined,
  };
}

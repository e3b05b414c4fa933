import { useMemo } from 'preact/hooks';
import type { ChannelProfile } from '../../../contract/kinds/channel.ts';
import { clockText, countText, dateText, knownMilliseconds } from '../format-values.ts';
import { Card, Facts, ExternalLink, Text } from '../ui/parts.tsx';
import { Portrait } from '../ui/pictures.tsx';
import type { Column, Row } from './rows.ts';
import { RowTable } from './table.tsx';

const COLUMNS: readonly Column[] = [{ name: 'duration', label: 'Length', textOf: clockText }];

export function Channel({ result: channel }: { readonly result: ChannelProfile }) {
  const rows = useMemo<readonly Row[]>(
    () =>
      channel.videos.map((video) => ({
        id: video.vidnet_id,
        title: video.title,
        reference: video.vidnet_id,
        thumbnail: video.thumbnail,
        publishedMs: knownMilliseconds(video.published_at),
        numbers: { duration: video.duration },
      })),
    [channel],
  );
  return (
    <>
      <Portrait url={channel.thumbnail} label="" icon="channel" title="About the channel">
        <Facts
          facts={[
            ['Subscribers', channel.subscriber_count === null ? null : countText(channel.subscriber_count)],
            ['Videos', channel.total_media === null ? null : countText(channel.total_media)],
            ['Views', channel.total_views === null ? null : countText(channel.total_views)],
            ['Country', channel.country],
            ['Since', channel.creation_date === null ? null : dateText(channel.creation_date)],
            ['Page', <ExternalLink url={channel.url}>Open on the platform</ExternalLink>],
          ]}
        />
        <Text>{channel.description}</Text>
      </Portrait>
      <Card title="Videos">
        <RowTable rows={rows} columns={COLUMNS} label="Videos of the channel" icon="video" />
      </Card>
    </>
  );
}

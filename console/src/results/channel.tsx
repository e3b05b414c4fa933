import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ChannelProfile } from '../../../contract/kinds/channel.ts';
import { read } from '../console-api.ts';
import { clockText, countText, dateText, knownMilliseconds } from '../format-values.ts';
import { useLoaded } from '../ui/hooks.ts';
import { Facts, Loading, Out, Picture, Trouble } from '../ui/parts.tsx';
import type { Column, Row } from './rows.ts';
import { RowTable } from './table.tsx';

const COLUMNS: readonly Column[] = [{ name: 'duration', label: 'Length', textOf: clockText }];

/** A channel with all of its videos. */
export function Channel({ id }: { readonly id: string }): JSX.Element {
  const { value, thrown } = useLoaded((signal) => read<ChannelProfile>(`/api/downloads/${id}/result`, signal), [id]);
  const rows = useMemo<readonly Row[]>(
    () =>
      (value?.videos ?? []).map((video) => ({
        id: video.vidnet_id,
        title: video.title,
        reference: video.vidnet_id,
        thumbnail: video.thumbnail,
        publishedMs: knownMilliseconds(video.published_at),
        numbers: { duration: video.duration },
      })),
    [value],
  );
  if (thrown !== undefined) return <Trouble thrown={thrown} />;
  if (value === undefined) return <Loading what="Loading the channel" />;
  return (
    <>
      <section class="card who" aria-labelledby="who-heading">
        <Picture url={value.thumbnail} label="" icon="channel" className="face" />
        <div class="grow">
          <h2 id="who-heading">About the channel</h2>
          <Facts
            facts={[
              ['Subscribers', value.subscriber_count === null ? null : countText(value.subscriber_count)],
              ['Videos', value.total_media === null ? null : countText(value.total_media)],
              ['Views', value.total_views === null ? null : countText(value.total_views)],
              ['Country', value.country],
              ['Since', value.creation_date === null ? null : dateText(value.creation_date)],
              ['Page', <Out url={value.url}>Open on the platform</Out>],
            ]}
          />
          {value.description ? <p class="text">{value.description}</p> : null}
        </div>
      </section>
      <section class="card" aria-labelledby="videos-heading">
        <h2 id="videos-heading">Videos</h2>
        {rows.length === 0 ? (
          <p>There are none.</p>
        ) : (
          <RowTable rows={rows} columns={COLUMNS} label="Videos of the channel" icon="video" />
        )}
      </section>
    </>
  );
}

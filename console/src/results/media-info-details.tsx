import type { MediaInfo } from '../../../contract/kinds/media-info.ts';
import { bytesText, clockText, countText, dateText, secondsOfClock } from '../format-values.ts';
import { Card, ExternalLink, Facts, Text } from '../ui/parts.tsx';
import { Picture } from '../ui/pictures.tsx';

const LIVE = { not_live: null, upcoming: 'Not yet', live: 'Now', ended: 'Has ended' } as const;
const KINDS = { video: 'video', playlist: 'list', channel: 'channel' } as const;

export function MediaInfoSummary({ info }: { readonly info: MediaInfo }) {
  const { title, uploader, duration, entry_count: entries, live_status: live, published_at: published } = info;
  const heights = [...new Set(info.video_formats.flatMap(({ height }) => height ?? []))];
  const [largest] = info.video_formats.flatMap(({ size }) => size ?? []);
  const more = info.entry_count_is_minimum === true ? 'more than ' : '';
  const marked = (text: string, mark: string | false): string => (mark === false ? text : `${text} (${mark})`);
  return (
    <section class="who look" aria-label="About the page">
      <Picture url={info.thumbnails[0]?.url} label="" icon={KINDS[info.kind]} className="thumbnail" />
      <div class="grow">
        <h3 dir="auto">{title ?? info.url}</h3>
        <Facts
          facts={[
            ['By', uploader],
            ['Length', duration === null ? null : clockText(secondsOfClock(duration))],
            ['Entries', entries === null ? null : `${more}${countText(entries)}`],
            ['Live', live === null ? null : LIVE[live]],
            ['Published', published === null ? null : dateText(published)],
            ['Pictures', heights.map((height) => `${String(height)}p`).join(', ')],
            ['Size', largest === undefined ? null : `up to ${bytesText(largest)}`],
            [
              'Sound',
              info.audio_languages
                .map(({ language, is_original: is }) => marked(language, is && 'original'))
                .join(', '),
            ],
            [
              'Captions',
              info.captions.map(({ language, kind }) => marked(language, kind !== 'manual' && kind)).join(', '),
            ],
          ]}
        />
      </div>
    </section>
  );
}

export function MediaInfoDetails({ result: info }: { readonly result: MediaInfo }) {
  return (
    <Card title="About the page">
      <MediaInfoSummary info={info} />
      <Text>{info.description}</Text>
      {info.chapters.length === 0 ? null : (
        <ol>
          {info.chapters.map(({ title, start }) => (
            <li key={start} dir="auto">
              {clockText(start)} {title}
            </li>
          ))}
        </ol>
      )}
      <ExternalLink url={info.url}>Open the page</ExternalLink>
    </Card>
  );
}

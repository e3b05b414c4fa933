import type { MediaInfo } from '../../../contract/kinds/media-info.ts';
import { bytesText, clockText, countText, dateText, secondsOfClock } from '../format-values.ts';
import { Card, ExternalLink, Facts, Picture } from '../ui/parts.tsx';

const LIVE = { not_live: null, upcoming: 'Not yet', live: 'Now', ended: 'Has ended' } as const;
const KINDS = { video: 'video', playlist: 'list', channel: 'channel' } as const;

/** Picture, title and length of a page, and what a person can choose from. */
export function LookSummary({ look }: { readonly look: MediaInfo }) {
  const { title, uploader, duration, entry_count: entries, live_status: live, published_at: published } = look;
  const heights = [...new Set(look.video_formats.flatMap(({ height }) => height ?? []))];
  const [largest] = look.video_formats.flatMap(({ size }) => size ?? []);
  const more = look.entry_count_is_minimum === true ? 'more than ' : '';
  const marked = (text: string, mark: string | false): string => (mark === false ? text : `${text} (${mark})`);
  return (
    <section class="who look" aria-label="About the page">
      <Picture url={look.thumbnails[0]?.url} label="" icon={KINDS[look.kind]} className="thumbnail" />
      <div class="grow">
        <h3 dir="auto">{title ?? look.url}</h3>
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
              look.audio_languages
                .map(({ language, is_original: is }) => marked(language, is && 'original'))
                .join(', '),
            ],
            [
              'Captions',
              look.captions.map(({ language, kind }) => marked(language, kind !== 'manual' && kind)).join(', '),
            ],
          ]}
        />
      </div>
    </section>
  );
}

export function Look({ result: look }: { readonly result: MediaInfo }) {
  return (
    <Card title="About the page">
      <LookSummary look={look} />
      {look.description === null ? null : (
        <p class="text" dir="auto">
          {look.description}
        </p>
      )}
      {look.chapters.length === 0 ? null : (
        <ol>
          {look.chapters.map(({ title, start }) => (
            <li key={start} dir="auto">
              {clockText(start)} {title}
            </li>
          ))}
        </ol>
      )}
      <ExternalLink url={look.url}>Open the page</ExternalLink>
    </Card>
  );
}

import { generateJsonFeed, generateOpml, generateRssFeed } from 'feedsmith';
import { contentTypeOf } from '../../contract/http/content-types.ts';
import type { StoredFeed } from '../../contract/http/feed-schemas.ts';
import type { MediaInfoFacts } from '../../contract/kinds/media-info.ts';
import type { TranscriptParameters } from '../../contract/kinds/transcript-request.ts';
import { defined, optional } from '../../runtime/optional.ts';
import type { Episode } from './feed-source.ts';

/** Apple's limit. */
const DESCRIPTION_MAX_CHARS = 4_000;
export const TRANSCRIPT_FILE = 'transcript.vtt';
export const CHAPTERS_FILE = 'chapters.json';
export const CHAPTERS_TYPE = 'application/json+chapters';

export interface FeedAddresses {
  readonly home: string;
  /** The URL of the feed without the extension of a format. */
  readonly self: string;
  /** The URL of the artwork for feeds that have none of their own. */
  readonly artwork: string;
}

export type WriteFeed = (feed: StoredFeed, episodes: readonly Episode[], addresses: FeedAddresses) => string;

export const rssText: WriteFeed = ({ title, language, imageUrl }, episodes, { home, self, artwork }) =>
  generateRssFeed(
    {
      ...{ title, language, link: home, description: title, generator: 'Tapedeck' },
      atom: { links: [{ href: `${self}.rss`, rel: 'self', type: 'application/rss+xml' }] },
      // A directory of podcasts would show the token to everyone.
      itunes: {
        ...{ image: imageUrl ?? artwork, author: 'Tapedeck', type: 'episodic', explicit: false, block: true },
        categories: [{ text: 'Leisure' }],
      },
      podcast: { locked: { value: true } },
      items: episodes.map((episode) => {
        const { guid, info, transcript } = episode;
        const { url, type, length, folder, durationSeconds, ...facts } = factsOf(episode, self);
        return {
          ...{ title: facts.title, description: facts.description, pubDate: facts.date },
          guid: { value: guid, isPermaLink: false },
          enclosures: [{ url, length, type }],
          itunes: {
            ...defined({ duration: durationSeconds, image: facts.image }),
            explicit: false,
          },
          podcast: {
            ...(transcript && {
              transcripts: [{ url: `${folder}/${TRANSCRIPT_FILE}`, type: 'text/vtt', ...languageOf(transcript) }],
            }),
            ...(info?.chapters?.length && { chapters: { url: `${folder}/${CHAPTERS_FILE}`, type: CHAPTERS_TYPE } }),
          },
        };
      }),
    },
    { strict: true },
  );

export const jsonFeedText: WriteFeed = ({ title, language, imageUrl }, episodes, { home, self, artwork }) =>
  JSON.stringify(
    generateJsonFeed(
      {
        ...{ title, language, home_page_url: home, feed_url: `${self}.json`, icon: imageUrl ?? artwork },
        items: episodes.map((episode) => {
          const { url, type, length, description, date, image, durationSeconds, title } = factsOf(episode, self);
          const attachment = { url, mime_type: type, size_in_bytes: length };
          return {
            ...{ id: episode.guid, title, content_text: description, date_published: date, ...defined({ image }) },
            attachments: [{ ...attachment, ...defined({ duration_in_seconds: durationSeconds }) }],
          };
        }),
      },
      { strict: true },
    ),
  );

export function opmlText(title: string, feeds: readonly { readonly title: string; readonly url: string }[]): string {
  const outlines = feeds.map(({ title: text, url }) => ({ text, title: text, type: 'rss', xmlUrl: url }));
  return generateOpml({ head: { title }, body: { outlines } }, { strict: true });
}

/** The chapters in the format of Podcasting 2.0. */
export function chaptersText(info: MediaInfoFacts): string {
  const chapters = (info.chapters ?? []).map(({ title, start, end }) => ({
    ...{ startTime: start, title },
    ...optional('endTime', end),
  }));
  return JSON.stringify({ version: '1.2.0', chapters });
}

function factsOf({ record, file, info, durationSeconds: seconds }: Episode, self: string) {
  const title = record.title ?? info?.title ?? record.mediaId;
  const folder = `${self}/${record.id}`;
  return {
    ...{ title, folder, url: `${folder}/${file.name}`, type: contentTypeOf(file.name), length: file.sizeBytes },
    description: (info?.description ?? title).slice(0, DESCRIPTION_MAX_CHARS).toWellFormed(),
    date: new Date(record.createdAt),
    durationSeconds: seconds === undefined ? undefined : Math.round(seconds),
    // Apple takes JPEG and PNG only.
    image: info?.thumbnails?.find(({ url }) => /\.(?:jpe?g|png)$/i.test(new URL(url).pathname))?.url,
  };
}

function languageOf({ type, parameters }: NonNullable<Episode['transcript']>) {
  return type === 'captions' ? optional('language', (parameters as TranscriptParameters).language) : {};
}

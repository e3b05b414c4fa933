import { platformPageOf, withoutTail } from './platform-urls.ts';

const VIDEO_ID = /^[A-Za-z0-9_-]{11}$/;
/** The platform's hosts: short ones, those of thumbnails, and those of countries, which redirect. */
export const VIDNET_HOST =
  /^(?:.+\.)?(?:youtube(?:-nocookie|kids|education)?\.com|youtube\.googleapis\.com|youtube(?:\.com?)?\.[a-z]{2}|youtu\.be|yt\.be|y2u\.be|ytimg\.com)$/;
/** The path of a link is the ID. */
const SHORT_HOST = /^(?:www\.|m\.)?(?:youtu|yt|y2u|youtube)\.be$/;
/** The path of a thumbnail before the ID. */
const THUMBNAIL = /^(?:vi|an)(?:_webp|_lc)?$/;
const BEFORE_ID = ['shorts', 'live', 'embed', 'v', 'vi', 'e', 'w', 'watch', 'video'];
/** Embedded pages of other kinds, whose names are as long as an ID. */
const NO_IDS = ['videoseries', 'live_stream'];
/** The page before a query with the ID. */
const WITH_QUERY = [
  ...['', 'watch', 'watch.php', 'watch_popup', 'ytscreeningroom', 'movie', 'embed', 'v', 'index', 'tv', 'share'],
  'live_chat',
];

/** @param text the URL of a page of the video, or its ID. @param hosts further hosts of the platform, with port */
export function videoIdOf(text: string, hosts: readonly string[] = []): string | undefined {
  // Apps write a scheme of the platform before an ID or a URL.
  const link = text.trim().replace(/^vnd\.youtube:(?:\/\/)?/i, '');
  const page = platformPageOf(link, { host: VIDNET_HOST, hosts });
  if (page === undefined) return idIn(link);
  const [first = '', second, ...more] = page.segments;
  if (SHORT_HOST.test(page.host) && second === undefined && VIDEO_ID.test(first)) return first;
  const name = first.toLowerCase();
  if (second === undefined) {
    const [id = ''] = [...page.query].flatMap(([key, value]) => (/^vi?$/i.test(key) && value ? [value] : []));
    return WITH_QUERY.includes(name) ? idIn(withoutTail(id)) : undefined;
  }
  const isPage = more.length === 0 || name === 'video';
  const isVideo = BEFORE_ID.includes(name) && isPage && !NO_IDS.includes(second);
  return isVideo || THUMBNAIL.test(name) ? idIn(second) : undefined;
}

/** @returns the ID of a playlist at its URL. @param hosts as for {@link videoIdOf} */
export function playlistIdOf(text: string, hosts: readonly string[] = []): string | undefined {
  const page = platformPageOf(text, { host: VIDNET_HOST, hosts });
  if (!/^(?:playlist|watch|embed\/videoseries)$/.test(page?.segments.join('/') ?? '')) return undefined;
  const id = withoutTail(page?.query.get('list') ?? '');
  return /^[\w-]{2,100}$/.test(id) ? id : undefined;
}

function idIn(text: string): string | undefined {
  return VIDEO_ID.test(text) ? text : undefined;
}

import { platformPageOf, withoutTail } from './platform-urls.ts';

const VIDEO_ID = /^[A-Za-z0-9_-]{11}$/;
/** The path of a short link is the ID. */
const SHORT_DOMAIN = 'youtu.be';
export const VIDNET_DOMAINS = [
  ...['youtube.com', 'youtube-nocookie.com', 'youtubekids.com', 'youtubeeducation.com', 'youtube.googleapis.com'],
  SHORT_DOMAIN,
];
const BEFORE_ID = ['shorts', 'live', 'embed', 'v', 'vi', 'e', 'w', 'watch'];
/** Embedded pages of other kinds, whose names are as long as an ID. */
const NO_IDS = ['videoseries', 'live_stream'];
/** The page before a query with the ID. */
const WITH_QUERY = ['', 'watch', 'watch.php', 'watch_popup', 'ytscreeningroom', 'movie', 'embed', 'v'];

/** @param text the URL of a page of the video, or its ID. @param hosts further hosts of the platform, with port */
export function videoIdOf(text: string, hosts: readonly string[] = []): string | undefined {
  const page = platformPageOf(text, { domains: VIDNET_DOMAINS, hosts });
  if (page === undefined) return idIn(text.trim());
  const [first = '', second, ...more] = page.segments;
  if (page.host.replace(/^www\./, '') === SHORT_DOMAIN && second === undefined && VIDEO_ID.test(first)) return first;
  const name = first.toLowerCase();
  if (second === undefined) {
    const id = page.query.get('v') ?? page.query.get('vi') ?? '';
    return WITH_QUERY.includes(name) ? idIn(withoutTail(id)) : undefined;
  }
  return BEFORE_ID.includes(name) && more.length === 0 && !NO_IDS.includes(second) ? idIn(second) : undefined;
}

/** Whether a URL is that of a playlist. @param hosts as for {@link videoIdOf} */
export function isPlaylistUrl(text: string, hosts: readonly string[] = []): boolean {
  const page = platformPageOf(text, { domains: VIDNET_DOMAINS, hosts });
  return (
    page !== undefined &&
    /^(?:playlist|watch|embed\/videoseries)$/.test(page.segments.join('/')) &&
    page.query.has('list')
  );
}

function idIn(text: string): string | undefined {
  return VIDEO_ID.test(text) ? text : undefined;
}

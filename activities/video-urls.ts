import type { ContentFacts } from '../contract/kinds/imgnet-content.ts';

/**
 * @returns the URLs of the videos of a post or reel, in order; empty if it has only photos; undefined if its record does not
 *   contain them all
 */
export function videoUrlsOf(content: ContentFacts): readonly string[] | undefined {
  const { videos = [], video_url } = content;
  const listed = videos.length > 0 ? videos : typeof video_url === 'string' ? [video_url] : [];
  const slides = content.type === 'post' ? content.post_content : undefined;
  const videoSlides = slides?.filter(({ type }) => type === 'video') ?? [];
  if (videoSlides.length > 0) {
    const urls = videoSlides.flatMap(({ url }) => url ?? []);
    if (urls.length === videoSlides.length) return urls;
    return listed.length === videoSlides.length ? listed : undefined;
  }
  if (listed.length > 0) return listed;
  return isPhotosOnly(content) ? [] : undefined;
}

function isPhotosOnly(content: ContentFacts): boolean {
  if (content.type === 'reel' || content.content_type === 'video') return false;
  if (content.content_type === 'image') return true;
  const slides = content.post_content ?? [];
  const photos = [...(content.photos ?? []), ...(content.images ?? [])];
  return slides.length > 0 ? slides.every(({ type }) => type === 'photo') : photos.length > 0;
}

/** @returns the URLs of the pictures and videos of a post or reel, in order; undefined if its record does not contain them all */
export function slideUrlsOf(content: ContentFacts): readonly string[] | undefined {
  const videos = videoUrlsOf(content);
  if (videos === undefined) return undefined;
  if (content.type === 'reel') return videos;
  const slides = content.post_content ?? [];
  if (slides.length > 0) {
    const left = [...videos];
    const urls = slides.map(({ type, url }) => (type === 'video' ? left.shift() : url));
    return urls.every((url) => typeof url === 'string') ? urls : undefined;
  }
  // Without slides nothing states the order of several media. Beside a single video, photos are its cover.
  if (content.content_type === 'carousel') return undefined;
  const urls = videos.length > 0 ? videos : (content.photos ?? content.images?.map(({ url }) => url) ?? []);
  return urls.length > 0 ? urls : undefined;
}

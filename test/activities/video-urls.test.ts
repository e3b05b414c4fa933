import { expect, it } from 'vitest';
import type { PostContent, ReelContent } from '../../contract/kinds/imgnet-content.ts';
import { slideUrlsOf, videoUrlsOf } from '../../activities/video-urls.ts';

const [first, second, photo] = ['https://cdn.example/1.mp4', 'https://cdn.example/2.mp4', 'https://cdn.example/3.jpg'];
const base = { shortcode: 'DAbCdEfGhIj', url: 'https://www.instagram.com/p/DAbCdEfGhIj/' };
const post = (fields: Partial<PostContent>): PostContent => ({
  ...{ ...base, type: 'post' },
  ...fields,
});
const reel = (fields: Partial<ReelContent>): ReelContent => ({
  ...{ ...base, type: 'reel', content_type: 'reel' },
  ...fields,
});
const slide = (type: string, url?: string) => ({ index: 0, type, ...(url === undefined ? {} : { url }) });

it.each<[string, PostContent | ReelContent, readonly string[] | undefined]>([
  [
    'the slides of a carousel',
    post({ post_content: [slide('video', first), slide('photo', photo), slide('video', second)] }),
    [first, second],
  ],
  [
    'slides rather than the list of videos',
    post({ post_content: [slide('video', first)], videos: [second, first] }),
    [first],
  ],
  [
    'the list of videos where a slide lacks its link',
    post({ post_content: [slide('video'), slide('video', first)], videos: [second, first] }),
    [second, first],
  ],
  [
    'nothing where a slide lacks its link and nothing else tells it',
    post({ post_content: [slide('video'), slide('video', first)], videos: [first] }),
    undefined,
  ],
  ['the list of videos without slides', post({ videos: [first, second], video_url: first }), [first, second]],
  ['the one video of a post', post({ video_url: first, content_type: 'video' }), [first]],
  ['the one video of a reel', reel({ video_url: first }), [first]],
  ['the list of a reel', reel({ videos: [first] }), [first]],
  ['that there is none, from photo slides', post({ post_content: [slide('photo', photo)] }), []],
  ['that there is none, from the type', post({ content_type: 'image' }), []],
  ['that there is none, from photos alone', post({ photos: [photo] }), []],
  ['that there is none, from images alone', post({ images: [{ url: photo }] }), []],
  ['nothing of a post that tells nothing', post({}), undefined],
  ['nothing of a video post without its link', post({ content_type: 'video', photos: [photo] }), undefined],
  [
    'nothing of a carousel with a slide of unknown type',
    post({ post_content: [slide('photo', photo), { index: 1, url: second }] }),
    undefined,
  ],
  ['nothing of a reel without its link', reel({}), undefined],
])('tells %s', (_case, content, expected) => {
  expect(videoUrlsOf(content)).toEqual(expected);
});

it.each<[string, PostContent | ReelContent, readonly string[] | undefined]>([
  [
    'all slides of a carousel',
    post({ post_content: [slide('video', first), slide('photo', photo), slide('video', second)] }),
    [first, photo, second],
  ],
  [
    'a video without its link from the list of videos',
    post({ post_content: [slide('photo', photo), slide('video')], videos: [second] }),
    [photo, second],
  ],
  [
    'nothing where a picture lacks its link',
    post({ post_content: [slide('photo'), slide('video', first)] }),
    undefined,
  ],
  ['nothing of a carousel without slides', post({ content_type: 'carousel', photos: [photo] }), undefined],
  ['a video without its cover', post({ content_type: 'video', video_url: first, photos: [photo] }), [first]],
  ['the picture of a post', post({ content_type: 'image', photos: [photo] }), [photo]],
  ['the picture of a post, from images alone', post({ images: [{ url: photo }] }), [photo]],
  ['nothing of a picture without its link', post({ content_type: 'image' }), undefined],
  ['the video of a reel', reel({ video_url: first }), [first]],
])('tells, of pictures and videos, %s', (_case, content, expected) => {
  expect(slideUrlsOf(content)).toEqual(expected);
});

import { MP4, type MediaMaker } from './media-maker.ts';

export const TALK_SECONDS = 40;
/** The distance of key frames. */
export const GROUP_SECONDS = 2;
const DURATION = String(TALK_SECONDS);
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', String(GROUP_SECONDS * 10)];
const VTT = 'WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nGood evening\n\n00:00:12.000 --> 00:00:14.000\nLeft here\n';

/** Adds a page that has what the options choose from: heights, codecs, languages, chapters, captions and a thumbnail. */
export async function addTalk({ site, add, format }: MediaMaker): Promise<Record<'180' | '360' | 'en', string>> {
  const pictures = (size: string): string[] => ['-f', 'lavfi', '-i', `testsrc=d=${DURATION}:s=${size}:r=10`];
  const sound = (hz: number): string[] => ['-f', 'lavfi', '-i', `sine=${String(hz)}:d=${DURATION}`];
  const vp9 = '-c:v libvpx-vp9 -deadline realtime -cpu-used 8'.split(' ');
  const cover = '-f lavfi -i color=red:s=200x100:d=1 -frames:v 1'.split(' ');
  const [low, high, en] = await Promise.all([
    add('180.mp4', 'video/mp4', [...pictures('320x180'), ...H264, ...MP4]),
    add('360.mp4', 'video/mp4', [...pictures('640x360'), ...H264, ...MP4]),
    add('en.m4a', 'audio/mp4', [...sound(440), ...MP4]),
    add('360.webm', 'video/webm', [...pictures('640x360'), ...vp9]),
    add('de.m4a', 'audio/mp4', [...sound(880), ...MP4]),
    add('en.webm', 'audio/webm', [...sound(440), '-c:a', 'libopus']),
    add('cover.webp', 'image/webp', cover),
  ]);
  site.set('/en.vtt', { type: 'text/vtt', body: Buffer.from(VTT) });
  const silent = { acodec: 'none' };
  const unseen = { vcodec: 'none' };
  const page = {
    ...{ id: 'talk', title: 'The bridge; at night = #1', uploader: 'Evening Talks', artist: 'Ann & Ben' },
    ...{ album: 'Autumn', upload_date: '20260314', webpage_url: `${site.url}/recorded/talk`, language: 'en' },
    duration: TALK_SECONDS,
    chapters: [
      { title: 'On the way', start_time: 0, end_time: 10 },
      { title: 'The bridge', start_time: 10, end_time: 25 },
      { title: 'Home', start_time: 25, end_time: TALK_SECONDS },
    ],
    thumbnails: [{ url: `${site.url}/cover.webp`, id: '0' }],
    subtitles: { en: [{ url: `${site.url}/en.vtt`, ext: 'vtt' }] },
    formats: [
      format('en.webm', { ...unseen, acodec: 'opus', language: 'en', language_preference: 10, abr: 96 }),
      format('de.m4a', { ...unseen, acodec: 'mp4a.40.2', language: 'de', language_preference: -1, abr: 128 }),
      format('en.m4a', { ...unseen, acodec: 'mp4a.40.2', language: 'en', language_preference: 10, abr: 96 }),
      format('180.mp4', { ...silent, vcodec: 'avc1.42', height: 180, width: 320 }),
      format('360.webm', { ...silent, vcodec: 'vp9', height: 360, width: 640 }),
      format('360.mp4', { ...silent, vcodec: 'avc1.42', height: 360, width: 640 }),
    ],
  };
  site.set('/recorded/talk', { body: page });
  return { '180': low, '360': high, en };
}

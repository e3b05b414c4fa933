import { SAMPLE, type KindSample } from './sample.ts';

const url = `https://www.youtube.com/watch?v=${SAMPLE.videoId}`;

export const mediaInfoSample: KindSample = {
  mediaId: SAMPLE.videoId,
  price: 0,
  parameters: { page: { url, subject: 'video' } },
  failure: ['private', 'The video is private.'],
  facts: {
    ...{ kind: 'video', url, title: 'Shall we take the bridge', description: 'Two people talk.' },
    ...{ uploader: 'Evening Talks', channel_id: SAMPLE.channelId, published_at: '2026-03-14 18:00:00' },
    ...{ duration: '00:03:25', live_status: 'not_live', view_count: 4_102, like_count: 311, comment_count: 1 },
    thumbnails: [{ url: SAMPLE.image, width: 1280, height: 720 }],
    chapters: [{ title: 'On the way', start: 0, end: 92 }],
    video_formats: [
      { height: 1080, frame_rate: 25, container: 'mp4', size: 31_204_113, has_sound: false },
      { height: 720, frame_rate: 25, container: 'mp4', size: 15_881_007, has_sound: false },
    ],
    audio_formats: [{ container: 'm4a', language: 'en', size: 3_318_020 }],
    audio_languages: [{ language: 'en', is_original: true }],
    captions: [{ language: 'en', kind: 'manual', name: 'English' }],
  },
};

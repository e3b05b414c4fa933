import { SAMPLE, sampleList, type KindSample } from './sample.ts';

export const transcriptSample: KindSample = {
  mediaId: SAMPLE.videoId,
  parameters: { language: 'en', includeComments: true },
  progress: { stage: 'fetching' },
  failure: ['no_captions', 'There are no captions in fr. There are: en, de.'],
  facts: {
    video: {
      ...{ videoId: SAMPLE.videoId, link: `https://www.youtube.com/watch?v=${SAMPLE.videoId}` },
      ...{ title: 'Shall we take the bridge', publishedAt: '2026-03-14 18:00:00', durationSeconds: 205 },
      ...{ viewCount: 4_102, likeCount: 311, commentCount: 1 },
      ...{ channelId: SAMPLE.channelId, channelName: 'Evening Talks', description: 'Two people talk.' },
    },
    track: { language: 'en', kind: 'manual', name: 'English' },
    lines: sampleList(
      { startSeconds: 0.48, durationSeconds: 1.91, text: 'shall we take the bridge' },
      { startSeconds: 2.72, durationSeconds: 1.1, text: 'if it is open' },
    ),
  },
  lists: {
    comments: [
      {
        ...{ id: 'UgxK2', author: '@ferry', author_id: null, text: 'It was closed.', likes: 3, published_at: null },
        reply_to: null,
      },
    ],
  },
};

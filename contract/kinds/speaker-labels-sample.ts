import { SAMPLE, sampleList, sampleRecordId, type KindSample } from './sample.ts';

const sampleLabels = { engine: 'whisper', language: 'en', languageProbability: 0.98, durationSeconds: 205.04 } as const;

export const speakerLabelsSample: KindSample = {
  mediaId: SAMPLE.videoId,
  price: 24,
  parameters: { audioId: sampleRecordId('F') },
  facts: {
    ...sampleLabels,
    segments: sampleList(
      {
        ...{ text: 'shall we take the bridge', start: 0.48, duration: 1.91, speaker: 'Speaker 1' },
        wordStarts: [0.48, 0.8, 1.02, 1.4, 1.55],
        wordConfidences: [0.99, 0.97, 0.98, 0.96, 0.72],
      },
      {
        ...{ text: 'if it is open', start: 2.72, duration: 1.1, speaker: 'Speaker 2' },
        wordStarts: [2.72, 2.9, 3.1, 3.3],
        wordConfidences: [0.95, 0.98, 0.99, 0.97],
      },
    ),
    speakerTurns: sampleList(
      { startSeconds: 0.48, endSeconds: 2.39, speaker: 0 },
      { startSeconds: 2.72, endSeconds: 3.82, speaker: 1 },
    ),
  },
  lists: { speaker_names: [{ 'Speaker 1': 'Anna' }] },
  failure: ['unsupported', 'The audio cannot be read.'],
  progress: { stage: 'transcribing', percent: 50, items: 2, total_items: 4 },
  other: {
    summary: 'No speech',
    price: 0,
    facts: { ...sampleLabels, segments: sampleList(), speakerTurns: sampleList() },
    lists: {},
  },
};

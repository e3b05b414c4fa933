import sherpa from 'sherpa-onnx-node';
import addon from 'sherpa-onnx-node/addon.js';
import { RATE } from './samples.mjs';

/** What an embedding needs to say something about a voice. A shorter segment gets that of all segments of its speaker. */
const TELLING_SECONDS = 0.5;
/** More says nothing new, and takes its time. */
const ENOUGH_SECONDS = 20;
/** Places after the decimal point that are kept of an embedding of length 1. */
const PRECISION = 1e5;

/** @param models segmentation and embedding: paths; threshold: cosine distance from which two voices are two */
export function openVoices({ segmentation, embedding, threshold }, threads) {
  const common = { numThreads: threads, provider: 'cpu', debug: 0 };
  const diarization = new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: segmentation }, ...common },
    embedding: { model: embedding, ...common },
    clustering: { numClusters: -1, threshold },
    ...{ minDurationOn: 0.2, minDurationOff: 0.5 },
  });
  const extractor = new sherpa.SpeakerEmbeddingExtractor({ model: embedding, ...common });
  return {
    /** @returns segments of one voice in order, with their embeddings; times in seconds of the samples */
    segments: async (samples, onProgress) => {
      // process() tells no progress; this is what it is made of. The last calls may come after the answer.
      let isRunning = true;
      const found = await addon.offlineSpeakerDiarizationProcessAsync(diarization.handle, samples, (done, whole) => {
        if (isRunning) onProgress((0.9 * done) / whole);
        return 0;
      });
      isRunning = false;
      return withEmbeddings(found, samples, (parts) => embed(extractor, samples, parts));
    },
  };
}

function withEmbeddings(found, samples, embedParts) {
  const whole = samples.length / RATE;
  const segments = found
    .map(({ start, end, speaker }) => ({ start: Math.max(0, start), end: Math.min(whole, end), speaker }))
    .filter(({ start, end }) => end > start)
    .sort((a, b) => a.start - b.start || a.end - b.end || a.speaker - b.speaker);
  const ofSpeaker = new Map();
  const embeddingOfSpeaker = (speaker) => {
    if (!ofSpeaker.has(speaker)) {
      const own = segments.filter((segment) => segment.speaker === speaker);
      const alone = own.flatMap((segment) => partsAlone(segment, segments));
      ofSpeaker.set(speaker, embedParts(alone) ?? embedParts(own));
    }
    return ofSpeaker.get(speaker);
  };
  return segments.flatMap((segment) => {
    const alone = partsAlone(segment, segments);
    const own = lengthOf(alone) >= TELLING_SECONDS ? embedParts(alone) : undefined;
    const embedding = own ?? embeddingOfSpeaker(segment.speaker);
    // Nothing can be said about whose voice it is; its words go to the nearest turn.
    if (embedding === undefined) return [];
    return [{ startSeconds: segment.start, endSeconds: segment.end, localSpeaker: segment.speaker, embedding }];
  });
}

/** What is left of a segment without the times in which another speaks too. */
function partsAlone(segment, segments) {
  let parts = [{ start: segment.start, end: segment.end }];
  for (const other of segments) {
    if (other.speaker === segment.speaker || other.start >= segment.end || other.end <= segment.start) continue;
    parts = parts
      .flatMap(({ start, end }) => [
        { start, end: Math.min(end, other.start) },
        { start: Math.max(start, other.end), end },
      ])
      .filter(({ start, end }) => end > start);
  }
  return parts;
}

function lengthOf(parts) {
  return parts.reduce((sum, { start, end }) => sum + end - start, 0);
}

/** @returns an embedding of length 1, or undefined when there is too little to make one of */
function embed(extractor, samples, parts) {
  const stream = extractor.createStream();
  let left = Math.round(ENOUGH_SECONDS * RATE);
  for (const { start, end } of parts) {
    const first = Math.round(start * RATE);
    const part = samples.slice(first, Math.min(Math.round(end * RATE), first + left));
    if (part.length > 0) stream.acceptWaveform({ samples: part, sampleRate: RATE });
    left -= part.length;
  }
  stream.inputFinished();
  if (!extractor.isReady(stream)) return undefined;
  const values = extractor.compute(stream, false);
  const norm = Math.hypot(...values);
  // Some models answer NaN to silence.
  if (!Number.isFinite(norm) || norm === 0) return undefined;
  return Array.from(values, (value) => Math.round((value / norm) * PRECISION) / PRECISION);
}

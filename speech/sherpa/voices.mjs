import sherpa from 'sherpa-onnx-node';
import addon from 'sherpa-onnx-node/addon.js';
import { RATE } from './samples.mjs';

/** The shortest audio for a reliable embedding. A shorter segment gets the embedding of all segments of its speaker. */
const MIN_SECONDS = 0.5;
/** The longest audio for an embedding; more improves nothing and takes longer. */
const MAX_SECONDS = 20;
/** The precision of an embedding: five decimals. */
const PRECISION = 1e5;

/** @param models paths of segmentation and embedding; threshold: the cosine distance between two speakers */
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
    /** Times are in seconds of the samples. */
    segments: async (samples, onProgress) => {
      // process() does not report progress. The last callbacks may come after the result.
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
    const own = lengthOf(alone) >= MIN_SECONDS ? embedParts(alone) : undefined;
    const embedding = own ?? embeddingOfSpeaker(segment.speaker);
    // The speaker is unknown; the words belong to the nearest speaker.
    if (embedding === undefined) return [];
    return [{ startSeconds: segment.start, endSeconds: segment.end, localSpeaker: segment.speaker, embedding }];
  });
}

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

/** @returns an embedding of length 1, or undefined if there is not enough audio */
function embed(extractor, samples, parts) {
  const stream = extractor.createStream();
  let left = Math.round(MAX_SECONDS * RATE);
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
  // Some models return NaN for silence.
  if (!Number.isFinite(norm) || norm === 0) return undefined;
  return Array.from(values, (value) => Math.round((value / norm) * PRECISION) / PRECISION);
}

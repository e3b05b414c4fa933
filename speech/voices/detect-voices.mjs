import { existsSync, readFileSync } from 'node:fs';
import sherpa from 'sherpa-onnx-node';
import addon from 'sherpa-onnx-node/addon.js';
import { RATE } from '../sherpa/samples.mjs';
import { CHUNK_SECONDS, chunkStarts, confirmVoices, cutPieces, joinChunks, partsAlone } from './local-voices.ts';
import { scaleEmbeddings } from './scale-embeddings.ts';

/** The shortest audio with a reliable embedding. Shorter pieces get no embedding. */
const MIN_SECONDS = 0.5;
/** The precision of an embedding: four decimals. */
const PRECISION = 1e4;
const SEGMENTATION_SHARE = 0.3;

/** @param models paths of segmentation and embedding */
export function openVoices({ segmentation, embedding }, threads) {
  const common = { numThreads: threads, provider: 'cpu', debug: 0 };
  const diarization = new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: segmentation }, ...common },
    embedding: { model: embedding, ...common },
    clustering: { numClusters: -1, threshold: 0.5 },
    // The library replaces 0 with its defaults.
    ...{ minDurationOn: 0.001, minDurationOff: 0.001 },
  });
  // All embeddings of a model have a part in common, which would make different voices similar.
  const meanPath = embedding.replace(/\.onnx$/, '.mean.json');
  const mean = existsSync(meanPath) ? JSON.parse(readFileSync(meanPath, 'utf8')) : [];
  const extractor = new sherpa.SpeakerEmbeddingExtractor({ model: embedding, ...common });

  /** Of a single chunk, the library returns the speakers of the segmentation, without clustering. */
  const voicesOfChunk = async (samples, startSeconds) => {
    const first = Math.round(startSeconds * RATE);
    const chunk = samples.slice(first, first + CHUNK_SECONDS * RATE);
    const found = await addon.offlineSpeakerDiarizationProcessAsync(diarization.handle, chunk, () => 0);
    return found.map(({ start, end, speaker }) => ({
      startSeconds: startSeconds + Math.max(0, start),
      endSeconds: startSeconds + Math.min(chunk.length / RATE, end),
      localSpeaker: speaker,
    }));
  };

  return {
    /** Times are in seconds of the samples. */
    segments: async (samples, speech, onProgress) => {
      const seconds = samples.length / RATE;
      const chunks = [];
      for (const startSeconds of chunkStarts(seconds)) {
        chunks.push({ startSeconds, voices: await voicesOfChunk(samples, startSeconds) });
        onProgress((SEGMENTATION_SHARE * startSeconds) / seconds);
      }
      const voices = confirmVoices(joinChunks(chunks), speech);
      const pieces = cutPieces(voices, speech);
      const embeddings = pieces.map(({ context, localSpeaker }, i) => {
        onProgress(SEGMENTATION_SHARE + ((1 - SEGMENTATION_SHARE) * i) / pieces.length);
        const own = embed(extractor, samples, partsAlone(context, localSpeaker, voices));
        return own?.map((value, k) => value - (mean[k] ?? 0));
      });
      return scaleEmbeddings(pieces, embeddings).map((embedding = [], i) => {
        const { startSeconds, endSeconds, localSpeaker } = pieces[i];
        const rounded = embedding.map((value) => Math.round(value * PRECISION) / PRECISION);
        return { startSeconds, endSeconds, localSpeaker, embedding: rounded };
      });
    },
  };
}

/** @returns an embedding of length 1, or undefined if there is not enough audio */
function embed(extractor, samples, parts) {
  if (parts.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0) < MIN_SECONDS) {
    return undefined;
  }
  const stream = extractor.createStream();
  for (const { startSeconds, endSeconds } of parts) {
    const part = samples.slice(Math.round(startSeconds * RATE), Math.round(endSeconds * RATE));
    if (part.length > 0) stream.acceptWaveform({ samples: part, sampleRate: RATE });
  }
  stream.inputFinished();
  if (!extractor.isReady(stream)) return undefined;
  const values = Array.from(extractor.compute(stream, false));
  const norm = Math.hypot(...values);
  // Some models return NaN for silence.
  return Number.isFinite(norm) && norm > 0 ? values.map((value) => value / norm) : undefined;
}

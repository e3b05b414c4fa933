import sherpa from 'sherpa-onnx-node';
import addon from 'sherpa-onnx-node/addon.js';
import { RATE } from './samples.mjs';

/** @param model a recogniser of find-models.ts, and for Whisper perhaps the language */
export function openRecogniser(model, threads) {
  return model.kind === 'whisper' ? openWhisper(model, threads) : openTransducer(model, threads);
}

function openWhisper({ encoder, decoder, tokens, language, isMultilingual, hasTokenTimes }, threads) {
  const config = (spoken) =>
    configOf(threads, {
      whisper: {
        ...{ encoder, decoder, task: 'transcribe', language: spoken },
        // Numbers: the addon passes over true and false. Times of tokens need a decoder that gives its attention away.
        ...(hasTokenTimes ? { enableTokenTimestamps: 1 } : { enableSegmentTimestamps: 1 }),
      },
      tokens,
    });
  const recogniser = new sherpa.OfflineRecognizer(config(isMultilingual ? (language ?? '') : ''));
  let told = language !== undefined || !isMultilingual;
  return {
    /** Longest first: what a few words are in is often heard wrongly, so one language is taken for the window. */
    order: (chunks) => {
      const lengths = chunks.map(([start, end]) => end - start);
      const longest = lengths.indexOf(Math.max(...lengths));
      return [longest, ...chunks.keys()].filter((index, place) => place === 0 || index !== longest);
    },
    hear: (samples) => {
      const result = decode(recogniser, samples);
      if (!told && result.lang) {
        told = true;
        recogniser.setConfig(config(result.lang));
      }
      return result;
    },
  };
}

function openTransducer({ encoder, decoder, joiner, tokens }, threads) {
  const recogniser = new sherpa.OfflineRecognizer(
    configOf(threads, { transducer: { encoder, decoder, joiner }, modelType: 'nemo_transducer', tokens }),
  );
  return { order: (chunks) => chunks.keys(), hear: (samples) => decode(recogniser, samples) };
}

function configOf(threads, modelConfig) {
  return {
    featConfig: { sampleRate: RATE, featureDim: 80 },
    modelConfig: { ...modelConfig, numThreads: threads, provider: 'cpu', debug: 0 },
  };
}

function decode(recogniser, samples) {
  const stream = recogniser.createStream();
  stream.acceptWaveform({ samples, sampleRate: RATE });
  recogniser.decode(stream);
  // The library writes control characters into its JSON as they are, and none between values: in texts a blank will do.
  const text = addon.getOfflineStreamResultAsJson(stream.handle).replace(/[\u0000-\u001f]/g, ' ');
  const { lang, text: said, tokens, timestamps, durations, ...more } = JSON.parse(text);
  const segments = (more.segment_texts ?? []).map((words, i) => ({
    ...{ text: words, startSeconds: more.segment_timestamps[i], durationSeconds: more.segment_durations[i] },
  }));
  return { lang, text: said, tokens, timestamps, durations, segments };
}

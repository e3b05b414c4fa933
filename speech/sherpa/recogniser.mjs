import sherpa from 'sherpa-onnx-node';
import addon from 'sherpa-onnx-node/addon.js';
import { RATE } from './samples.mjs';

export function openRecogniser(model, threads) {
  return model.kind === 'whisper' ? openWhisper(model, threads) : openTransducer(model, threads);
}

function openWhisper({ encoder, decoder, tokens, language, isMultilingual, hasTokenTimes }, threads) {
  const config = (spoken) =>
    configOf(threads, {
      whisper: {
        ...{ encoder, decoder, task: 'transcribe', language: spoken },
        // The addon ignores booleans. Token timestamps need a decoder that exports its attention.
        ...(hasTokenTimes ? { enableTokenTimestamps: 1 } : { enableSegmentTimestamps: 1 }),
      },
      tokens,
    });
  const recogniser = new sherpa.OfflineRecognizer(config(isMultilingual ? (language ?? '') : ''));
  let isLanguageKnown = language !== undefined || !isMultilingual;
  return {
    /** The longest chunk comes first and sets the language, which is often detected wrongly from a few words. */
    order: (chunks) => {
      const lengths = chunks.map(([start, end]) => end - start);
      const longest = lengths.indexOf(Math.max(...lengths));
      return [longest, ...chunks.keys()].filter((index, position) => position === 0 || index !== longest);
    },
    recognise: (samples) => {
      const result = decode(recogniser, samples);
      if (!isLanguageKnown && result.lang) {
        isLanguageKnown = true;
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
  return { order: (chunks) => chunks.keys(), recognise: (samples) => decode(recogniser, samples) };
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
  // The library does not escape control characters in JSON strings and writes none between values.
  const text = addon.getOfflineStreamResultAsJson(stream.handle).replace(/[\u0000-\u001f]/g, ' ');
  const { lang, text: transcript, tokens, timestamps, durations, ...more } = JSON.parse(text);
  const segments = (more.segment_texts ?? []).map((words, i) => ({
    ...{ text: words, startSeconds: more.segment_timestamps[i], durationSeconds: more.segment_durations[i] },
  }));
  return { lang, text: transcript, tokens, timestamps, durations, segments };
}

import sherpa from 'sherpa-onnx-node';
import addon from 'sherpa-onnx-node/addon.js';
import { RATE } from './samples.mjs';

export function openRecogniser({ encoder, decoder, joiner, tokens }, threads) {
  const recogniser = new sherpa.OfflineRecognizer({
    featConfig: { sampleRate: RATE, featureDim: 80 },
    modelConfig: {
      ...{ transducer: { encoder, decoder, joiner }, modelType: 'nemo_transducer', tokens },
      ...{ numThreads: threads, provider: 'cpu', debug: 0 },
    },
  });
  return {
    recognise: (samples) => {
      const stream = recogniser.createStream();
      stream.acceptWaveform({ samples, sampleRate: RATE });
      recogniser.decode(stream);
      // The library does not escape control characters in JSON strings and writes none between values.
      const text = addon.getOfflineStreamResultAsJson(stream.handle).replace(/[\u0000-\u001f]/g, ' ');
      const { text: transcript, tokens: pieces, timestamps, durations } = JSON.parse(text);
      return { text: transcript, tokens: pieces, timestamps, durations };
    },
  };
}

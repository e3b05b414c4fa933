// Makes embedding.mean.json of speech/voices/models: the mean embedding of many speakers, which is in all embeddings of the model.
//
// Usage: node quality/voice-models/make-embedding-mean.mjs MODEL.onnx FOLDER… > MODEL.mean.json
//   apt-get download ktuberling-data klettres-data asterisk-core-sounds-{en,es,fr,it,ru}-g722
//   for package in *.deb; do dpkg -x $package voices; done
//   the folders are voices/usr/share/{ktuberling/sounds,klettres,asterisk/sounds}/*/
// Each folder contains recordings of one speaker. Those with little sound are left out.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import sherpa from 'sherpa-onnx-node';

const [LEAST_SECONDS, MOST_SECONDS, CONTEXT_SECONDS, RATE] = [8, 60, 2, 16_000];
const SOUNDS = '**/*.{g722,ogg,opus,wav}';
const ARGUMENTS = `-af silenceremove=start_periods=1:stop_periods=-1:start_threshold=-40dB:stop_threshold=-40dB -ac 1 -ar ${RATE} -f f32le -`;

const [model, ...folders] = process.argv.slice(2);
const extractor = new sherpa.SpeakerEmbeddingExtractor({ model, numThreads: 1 });
const meanOf = (vectors) =>
  vectors[0].map((_, k) => vectors.reduce((sum, vector) => sum + vector[k], 0) / vectors.length);

function embeddingOf(samples) {
  const stream = extractor.createStream();
  stream.acceptWaveform({ samples: Float32Array.from(samples), sampleRate: RATE });
  stream.inputFinished();
  const values = Array.from(extractor.compute(stream, false));
  return values.map((value) => value / Math.hypot(...values));
}

// The names with @ are other spellings of a language with the same recordings.
const means = folders.flatMap((folder) => {
  const samples = [];
  for (const file of folder.includes('@') ? [] : globSync(SOUNDS, { cwd: folder }).sort()) {
    if (samples.length >= MOST_SECONDS * RATE) break;
    const { stdout } = spawnSync(process.env.FFMPEG ?? 'ffmpeg', ['-i', `${folder}/${file}`, ...ARGUMENTS.split(' ')]);
    for (let i = 0; i + 4 <= stdout.length; i += 4) samples.push(stdout.readFloatLE(i));
  }
  const starts = Array.from({ length: samples.length / RATE - CONTEXT_SECONDS + 1 }, (_, i) => i * RATE);
  const embeddings = starts.map((start) => embeddingOf(samples.slice(start, start + CONTEXT_SECONDS * RATE)));
  return samples.length < LEAST_SECONDS * RATE ? [] : [meanOf(embeddings)];
});
console.log(JSON.stringify(meanOf(means).map((value) => Math.round(value * 1e4) / 1e4)));

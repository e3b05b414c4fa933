// Makes embedding.mean.json of speech/voices/models: the mean embedding of many speakers, which is in all embeddings of the model.
//
// Usage: FFMPEG=ffmpeg node quality/voice-models/make-embedding-mean.mjs MODEL.onnx FOLDER… > MODEL.mean.json
//   apt-get download ktuberling-data klettres-data asterisk-core-sounds-{en,es,fr,it,ru}-g722
//   for package in *.deb; do dpkg -x $package voices; done
//   the folders are voices/usr/share/{ktuberling/sounds,klettres,asterisk/sounds}/*/
// Each folder contains recordings of one speaker. Those with little sound are left out.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sherpa from 'sherpa-onnx-node';

const RATE = 16_000;
const LEAST_SECONDS = 8;
const MOST_SECONDS = 60;
const CONTEXT_SECONDS = 2;
const SOUND = /\.(?:g722|ogg|opus|wav)$/;
const ARGUMENTS = '-af silenceremove=start_periods=1:stop_periods=-1:start_threshold=-40dB:stop_threshold=-40dB -ac 1';

const [model, ...folders] = process.argv.slice(2);
const extractor = new sherpa.SpeakerEmbeddingExtractor({ model, numThreads: 1 });

function samplesOf(file) {
  const output = ['-ar', String(RATE), '-f', 'f32le', '-'];
  const { stdout } = spawnSync(process.env.FFMPEG ?? 'ffmpeg', ['-i', file, ...ARGUMENTS.split(' '), ...output]);
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length));
}

function embeddingOf(samples) {
  const stream = extractor.createStream();
  stream.acceptWaveform({ samples, sampleRate: RATE });
  stream.inputFinished();
  const values = Array.from(extractor.compute(stream, false));
  return values.map((value) => value / Math.hypot(...values));
}

const meanOf = (vectors) =>
  vectors[0].map((_, k) => vectors.reduce((sum, vector) => sum + vector[k], 0) / vectors.length);

const means = [];
// The names with @ are other spellings of a language with the same recordings.
for (const folder of folders.filter((name) => !name.includes('@'))) {
  const samples = [];
  for (const file of readdirSync(folder, { recursive: true })
    .filter((name) => SOUND.test(name))
    .sort()) {
    if (samples.length < MOST_SECONDS * RATE) for (const value of samplesOf(join(folder, file))) samples.push(value);
  }
  if (samples.length < LEAST_SECONDS * RATE) continue;
  const embeddings = [];
  for (let from = 0; from + CONTEXT_SECONDS * RATE <= samples.length; from += RATE) {
    embeddings.push(embeddingOf(Float32Array.from(samples.slice(from, from + CONTEXT_SECONDS * RATE))));
  }
  means.push(meanOf(embeddings));
  console.error(`${folder}: ${embeddings.length} embeddings`);
}
console.log(JSON.stringify(meanOf(means).map((value) => Math.round(value * 1e4) / 1e4)));

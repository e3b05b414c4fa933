// Usage: node regions-child.mjs WAV OFFSET_BYTES LENGTH_BYTES MODEL. Prints the intervals with speech as JSON lines.
// It runs in a process of its own, because its calls block and native code may crash.
import sherpa from 'sherpa-onnx-node';
import { RATE, readSamples } from './sherpa/samples.mjs';

const [path, offset, length, model] = process.argv.slice(2);
const STEP = 512;
/** The seconds that are read at once: a whole number of steps. */
const PIECE_SECONDS = 60;
/** After maxSpeechDuration the model only prefers pauses and keeps all samples until there is one, so it is flushed. */
const LONGEST_SECONDS = 24;

const vad = new sherpa.Vad(
  {
    sileroVad: {
      model,
      // The default of 0.5 misses most distant speech (docs/decisions/0019-speaker-labels.md). A threshold below 0.2 joins
      // consecutive utterances of two people.
      threshold: 0.2,
      minSpeechDuration: 0.1,
      minSilenceDuration: 0.25,
      maxSpeechDuration: 20,
      windowSize: STEP,
    },
    sampleRate: RATE,
    numThreads: 1,
  },
  60,
);

function printRegions() {
  for (; !vad.isEmpty(); vad.pop()) {
    const segment = vad.front(false);
    const end = segment.start + segment.samples.length;
    console.log(JSON.stringify({ speech: { startSeconds: segment.start / RATE, endSeconds: end / RATE } }));
  }
}

const wav = { path, offsetBytes: Number(offset), lengthBytes: Number(length) };
const durationSeconds = wav.lengthBytes / 2 / RATE;
let spokenSteps = 0;
for (let at = 0; at < durationSeconds; at += PIECE_SECONDS) {
  const samples = readSamples(wav, at, at + PIECE_SECONDS);
  for (let step = 0; step < samples.length; step += STEP) {
    // The model accepts whole steps only, so the last one is padded with silence.
    const part = samples.slice(step, step + STEP);
    const whole = part.length === STEP ? part : new Float32Array(STEP);
    if (whole !== part) whole.set(part);
    vad.acceptWaveform(whole);
    spokenSteps = vad.isDetected() ? spokenSteps + 1 : 0;
    if (spokenSteps * STEP >= LONGEST_SECONDS * RATE) {
      vad.flush();
      spokenSteps = 0;
    }
  }
  printRegions();
  console.log(JSON.stringify({ progress: Math.min(1, (at + PIECE_SECONDS) / durationSeconds) }));
}
vad.flush();
printRegions();

// node regions-child.mjs WAV OFFSET_BYTES LENGTH_BYTES MODEL: where somebody speaks, as JSON lines.
// Plain JavaScript in a process of its own: the calls block, and a crash of native code or a cancel ends only this.
import sherpa from 'sherpa-onnx-node';
import { RATE, readSamples } from './sherpa/samples.mjs';

const [path, offset, length, model] = process.argv.slice(2);
/** What the model looks at in one step. */
const STEP = 512;
/** What is read at once: whole steps. */
const PIECE_SECONDS = 60;
/** The model only prefers pauses from maxSpeechDuration on, and keeps the samples until one comes: without an end, all of them. */
const LONGEST_SECONDS = 24;

const vad = new sherpa.Vad(
  {
    sileroVad: {
      model,
      // Lower than the usual 0.5, which misses most of what is said far from the microphone: of the meetings of docs/speech.md
      // 0.35 misses 17 % and this 12 %, and both take 1 % too much. Below, what two say one after the other becomes one region.
      threshold: 0.2,
      minSpeechDuration: 0.1,
      minSilenceDuration: 0.25,
      // From here on a slight pause is enough.
      maxSpeechDuration: 20,
      windowSize: STEP,
    },
    sampleRate: RATE,
    numThreads: 1,
  },
  60,
);

function tell() {
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
    // The model takes whole steps only; the last one is filled up with silence.
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
  tell();
  console.log(JSON.stringify({ progress: Math.min(1, (at + PIECE_SECONDS) / durationSeconds) }));
}
vad.flush();
tell();

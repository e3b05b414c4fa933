// node regions-child.mjs WAV OFFSET_BYTES LENGTH_BYTES MODEL: where somebody speaks, as JSON lines.
// Plain JavaScript in a process of its own: the calls block, and a crash of native code or a cancel ends only this.
import { openSync, readSync } from 'node:fs';
import sherpa from 'sherpa-onnx-node';

const [path, offset, length, model] = process.argv.slice(2);
const RATE = 16_000;
/** What the model looks at in one step. */
const STEP = 512;
const STEPS_PER_READ = 64;
const REPORT_EVERY_SECONDS = 60;
/** The model only prefers pauses from maxSpeechDuration on, and keeps the samples until one comes: without an end, all of them. */
const LONGEST_SECONDS = 24;

const vad = new sherpa.Vad(
  {
    sileroVad: {
      model,
      // Lower than the usual 0.5, which misses about a tenth more of the meetings of docs/speech.md.
      threshold: 0.35,
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

const file = openSync(path, 'r');
const bytes = Buffer.alloc(STEP * STEPS_PER_READ * 2);
const end = Number(offset) + Number(length);
let reported = 0;
let spokenSteps = 0;
for (let at = Number(offset); at < end;) {
  const got = readSync(file, bytes, 0, Math.min(bytes.length, end - at), at);
  if (got === 0) break;
  at += got;
  const samples = Float32Array.from(
    new Int16Array(bytes.buffer, bytes.byteOffset, got >> 1),
    (value) => value / 32_768,
  );
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
  const seconds = (at - Number(offset)) / 2 / RATE;
  if (seconds - reported >= REPORT_EVERY_SECONDS) {
    reported = seconds;
    console.log(JSON.stringify({ progress: (at - Number(offset)) / Number(length) }));
  }
}
vad.flush();
tell();

// Usage: node analyse.mjs JSON. Prints the words and voices of one window as JSON lines (run-analysis.ts).
// It runs in a process of its own, because its calls block and native code may crash.
import { toMilliseconds } from '../../contract/text/times.ts';
import { unitedSpeech } from '../windows.ts';
import { cutChunks } from './chunks.ts';
import { openRecogniser } from './recogniser.mjs';
import { readSamples } from './samples.mjs';
import { openVoices } from '../voices/detect-voices.mjs';

const WORDS_SHARE = 0.6;
/** The margin around the speech of a chunk, because voice activity detection cuts off soft sounds. */
const MARGIN_SECONDS = 0.2;

const request = JSON.parse(process.argv[2]);
const { wav, startSeconds, endSeconds, threads } = request;
const print = (line) => console.log(JSON.stringify(line));

const recogniser = request.recogniser && openRecogniser(request.recogniser, threads);
const openedVoices = openVoices(request.voices, threads);
print({ loaded: true });

const voicesShare = recogniser === undefined ? 1 : 1 - WORDS_SHARE;
const samples = readSamples(wav, startSeconds, endSeconds);
const speech = request.speech.map((span) => ({
  startSeconds: span.startSeconds - startSeconds,
  endSeconds: span.endSeconds - startSeconds,
}));
const segments = await openedVoices.segments(samples, speech, (share) => print({ progress: voicesShare * share }));
const voices = segments.map((voice) => ({
  ...voice,
  startSeconds: startSeconds + voice.startSeconds,
  endSeconds: Math.min(endSeconds, startSeconds + voice.endSeconds),
}));
for (const voice of voices) print({ voice });

// Voices and detected speech each miss some speech, so their union is transcribed.
if (recogniser !== undefined && voices.length > 0) {
  const chunks = cutChunks(unitedSpeech(request.speech, voices));
  const sampled = chunks.map((chunk) => ({
    startSeconds: toMilliseconds(Math.max(startSeconds, chunk.startSeconds - MARGIN_SECONDS)),
    endSeconds: toMilliseconds(Math.min(endSeconds, chunk.endSeconds + MARGIN_SECONDS)),
  }));
  const totalSeconds = sampled.reduce((sum, part) => sum + part.endSeconds - part.startSeconds, 0);
  let doneSeconds = 0;
  for (const [index, part] of sampled.entries()) {
    const recognised = recogniser.recognise(readSamples(wav, part.startSeconds, part.endSeconds));
    print({ recognised: { chunk: chunks[index], sampled: part, ...recognised } });
    doneSeconds += part.endSeconds - part.startSeconds;
    print({ progress: voicesShare + (WORDS_SHARE * doneSeconds) / totalSeconds });
  }
}
print({ progress: 1 });

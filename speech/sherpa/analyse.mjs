// node analyse.mjs JSON: words and voices of one window, as JSON lines. The shapes are those of run-analysis.ts.
// Plain JavaScript in a process of its own: the calls block, and a crash of native code or a cancel ends only this.
import { toMilliseconds } from '../../contract/text/times.ts';
import { unitedSpeech } from '../windows.ts';
import { cutChunks } from './chunks.ts';
import { openRecogniser } from './hear.mjs';
import { readSamples } from './samples.mjs';
import { openVoices } from './voices.mjs';

/** What takes how much of the time, roughly; it depends on the models. */
const WORDS_SHARE = 0.6;
/** Around the speech of a chunk: the search for speech cuts soft sounds off. */
const MARGIN_SECONDS = 0.2;

const question = JSON.parse(process.argv[2]);
const { wav, startSeconds, endSeconds, threads } = question;
const tell = (line) => console.log(JSON.stringify(line));

const recogniser = question.recogniser && openRecogniser(question.recogniser, threads);
const openedVoices = openVoices(question.voices, threads);
tell({ loaded: true });

const voicesShare = recogniser === undefined ? 1 : 1 - WORDS_SHARE;
const samples = readSamples(wav, startSeconds, endSeconds);
const segments = await openedVoices.segments(samples, (share) => tell({ progress: voicesShare * share }));
const voices = segments.map((voice) => ({
  ...voice,
  startSeconds: startSeconds + voice.startSeconds,
  endSeconds: Math.min(endSeconds, startSeconds + voice.endSeconds),
}));
for (const voice of voices) tell({ voice });

// Whether anybody speaks is decided by the voices; where words may be, by both: each misses some.
if (recogniser !== undefined && voices.length > 0) {
  const chunks = cutChunks(unitedSpeech(question.speech, voices));
  const sampled = chunks.map((chunk) => ({
    startSeconds: toMilliseconds(Math.max(startSeconds, chunk.startSeconds - MARGIN_SECONDS)),
    endSeconds: toMilliseconds(Math.min(endSeconds, chunk.endSeconds + MARGIN_SECONDS)),
  }));
  const whole = sampled.reduce((sum, part) => sum + part.endSeconds - part.startSeconds, 0);
  let done = 0;
  for (const index of recogniser.order(sampled.map((part) => [part.startSeconds, part.endSeconds]))) {
    const part = sampled[index];
    const heard = recogniser.hear(readSamples(wav, part.startSeconds, part.endSeconds));
    tell({ heard: { chunk: chunks[index], sampled: part, ...heard } });
    done += part.endSeconds - part.startSeconds;
    tell({ progress: voicesShare + (WORDS_SHARE * done) / whole });
  }
}
tell({ progress: 1 });

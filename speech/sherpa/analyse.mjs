// node analyse.mjs JSON: words and voices of one window, as JSON lines. The shapes are those of run-analysis.ts.
// Plain JavaScript in a process of its own: the calls block, and a crash of native code or a cancel ends only this.
import { openRecogniser } from './hear.mjs';
import { readSamples } from './samples.mjs';
import { openVoices } from './voices.mjs';

/** What takes how much of the time, roughly; it depends on the models. */
const WORDS_SHARE = 0.6;

const question = JSON.parse(process.argv[2]);
const { startSeconds, endSeconds, chunks, threads } = question;
const tell = (line) => console.log(JSON.stringify(line));

const recogniser = question.recogniser && openRecogniser(question.recogniser, threads);
const voices = openVoices(question.voices, threads);
tell({ loaded: true });

const wordsShare = recogniser === undefined ? 0 : WORDS_SHARE;
if (recogniser !== undefined) {
  const whole = chunks.reduce((sum, [start, end]) => sum + end - start, 0);
  let done = 0;
  for (const index of recogniser.order(chunks)) {
    const [start, end] = chunks[index];
    tell({ heard: { chunk: index, ...recogniser.hear(readSamples(question.wav, start, end)) } });
    done += end - start;
    tell({ progress: (wordsShare * done) / whole });
  }
}
const samples = readSamples(question.wav, startSeconds, endSeconds);
const onProgress = (share) => tell({ progress: wordsShare + (1 - wordsShare) * share });
for (const voice of await voices.segments(samples, onProgress)) {
  tell({
    voice: {
      ...voice,
      startSeconds: startSeconds + voice.startSeconds,
      endSeconds: Math.min(endSeconds, startSeconds + voice.endSeconds),
    },
  });
}
tell({ progress: 1 });

// npm run eval -- FOLDER|sandbox [--out FOLDER] [--tuned NAME,NAME…] [--join MINUTES]: how good the engine of SPEECH_ENGINE is on recordings with references.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { joinRecordings } from './joined.ts';
import { writeRttm, readRecordings, type Recording, writeSandboxSet } from './recordings.ts';
import { defaultCacheDir, fingerprint } from '../../../local/engines/cache.ts';
import { installPython } from '../../../local/engines/python.ts';
import { speechSettings } from '../../../local/engines/speech-setup.ts';
import { ensureTools } from '../../../local/engines/tools.ts';
import { loadConfig } from '../../../config.ts';
import { chooseSpeech } from '../../../speech/choose-engine.ts';
import { runJsonLines } from '../../../speech/json-lines.ts';
import { watchChildrenMemory } from '../processor-time.ts';
import { scoreSchema, tableOf, type Row } from './table.ts';
import { timelineOf } from './timeline.ts';
import { transcribe, type Transcript } from './transcribe.ts';

const SCORE = fileURLToPath(new URL('./score.py', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('./requirements.txt', import.meta.url));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: 'data/eval' },
    tuned: { type: 'string', default: '' },
    join: { type: 'string' },
  },
});
const [folder] = positionals;
const minutes = values.join === undefined ? undefined : Number(values.join);
if (folder === undefined || Number.isNaN(minutes)) {
  throw new Error('usage: npm run eval -- FOLDER|sandbox [--out FOLDER] [--tuned NAME,NAME…] [--join MINUTES]');
}

const log = (line: string): void => console.error(line);
const cacheDir = defaultCacheDir(process.env);
const setup = { env: process.env, cacheDir, log };
const { ffmpeg } = await ensureTools(setup);
const settings = await speechSettings(setup, loadConfig(process.env));
const scorer = await installPython({
  requirements: REQUIREMENTS,
  what: 'pyannote.metrics, jiwer and eSpeak NG',
  env: process.env,
  log,
  folder: join(cacheDir, `eval-python-${fingerprint(REQUIREMENTS)}`),
});

const out = resolve(values.out);
await mkdir(out, { recursive: true });
if (folder === 'sandbox') await writeSandboxSet(join(out, 'recordings'), { ffmpeg, python: scorer });
const found = await readRecordings(folder === 'sandbox' ? join(out, 'recordings') : resolve(folder));
if (found.length === 0) throw new Error(`${folder} has no audio files`);
const workFolder = await mkdtemp(join(tmpdir(), 'tapedeck-eval-'));
try {
  const known = found.filter(({ reference }) => reference.length > 0);
  const recordings =
    minutes === undefined ? found : [await joinRecordings(known, { minutes, folder: workFolder, ffmpeg })];
  const config = loadConfig({ ...process.env, ...settings });
  const speech = await chooseSpeech(config, workFolder);
  if ('missing' in speech) throw new Error(`SPEECH_ENGINE=${config.SPEECH_ENGINE}: ${speech.missing}`);
  const { engine, vadModel } = speech;
  const done: (Recording & Transcript & Pick<Row, 'elapsedSeconds' | 'peakBytes'>)[] = [];
  for (const recording of recordings) {
    const started = performance.now();
    const peak = watchChildrenMemory();
    const transcript = await transcribe(recording.path, { ffmpeg, vadModel, engine, workFolder }, (stage, share) => {
      if (process.stderr.isTTY)
        process.stderr.write(`\r\x1b[K${recording.name}: ${stage} ${(share * 100).toFixed(0)} %`);
    });
    const elapsedSeconds = (performance.now() - started) / 1000;
    done.push({ ...recording, ...transcript, elapsedSeconds, peakBytes: peak() });
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    log(`${recording.name}: ${transcript.durationSeconds.toFixed(1)} s of audio in ${elapsedSeconds.toFixed(1)} s`);
  }

  await engine.close?.();
  const question = join(workFolder, 'question.json');
  const files = done.map(({ name, durationSeconds, reference, voiceSegments, stm, segments: words }) => {
    const found = voiceSegments.map(({ speaker, ...times }) => ({ ...times, speaker: `Speaker ${speaker + 1}` }));
    return { name, durationSeconds, reference, found, stm, words };
  });
  await writeFile(question, JSON.stringify({ files }));
  const scores = new Map<string, z.infer<typeof scoreSchema>>();
  await runJsonLines(scorer, ['-E', '-s', '-B', SCORE, question], {
    what: 'scoring',
    schema: scoreSchema,
    onLine: (line) => scores.set(line.name, line),
    ...{ cwd: workFolder, timeoutMs: 3_600_000 },
  });

  const rows: Row[] = done.map((recording) => ({
    ...recording,
    ...scores.get(recording.name),
    speakers: {
      // 0 without a reference: nothing is expected then.
      expected: new Set(recording.reference.map(({ speaker }) => speaker)).size || undefined,
      found: new Set(recording.voiceSegments.map(({ speaker }) => speaker)).size,
    },
  }));
  const tuned = new Set(values.tuned.split(',').filter((name) => name !== ''));
  const table = tableOf(rows, {
    all: rows,
    'tuned on': rows.filter(({ name }) => tuned.has(name)),
    'not tuned on': tuned.size === 0 ? [] : rows.filter(({ name }) => !tuned.has(name)),
  });
  const texts = done.map(({ name, segments }) => {
    const lines = segments.map(({ start, speaker, text }) => `${start.toFixed(2).padStart(8)}  ${speaker}: ${text}`);
    return `## ${name}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`;
  });
  await writeFile(
    join(out, 'evaluation.md'),
    `# Evaluation of ${engine.name}, ${engine.models ?? ''}\n\n\`\`\`text\n${table}\n\`\`\`\n\n${texts.join('\n')}`,
  );
  await writeFile(join(out, 'timeline.svg'), timelineOf(files));
  const rttm = files.flatMap(({ name, found }) => found.map((segment) => ({ ...segment, file: name })));
  await writeFile(join(out, 'found.rttm'), writeRttm(rttm));
  console.log(table);
  log(`\nTranscripts, the picture and the segments as RTTM are in ${out}`);
} finally {
  await rm(workFolder, { recursive: true, force: true });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { runChaos } from '../../quality/chaos/run.ts';
import { KIND_WEIGHTS } from '../../quality/chaos/subjects.ts';
import { always, startTranscriptionServer } from '../helpers/transcription-server.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The release from which operators upgrade and to which they roll back: its tag, or the last commit while there is none. */
const PREVIOUS_RELEASE = 'HEAD';

/**
 * Lays out the code of the previous release with the packages of this one.
 *
 * @returns its folder, which the caller removes
 * @throws where git does not have that commit, as in a shallow clone
 */
function checkOutPreviousRelease(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tapedeck-release-'));
  const archive = execFileSync('git', ['archive', PREVIOUS_RELEASE], { cwd: ROOT, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Jobs that are open when a release is relieved. */
const OPEN_JOBS = 100;

it('a rolling upgrade and its roll-back, each with 100 open jobs of all kinds: none fails, nothing is done twice', async () => {
  const before = checkOutPreviousRelease();
  const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-rolling-'));
  const { ffmpeg, ffprobe } = inject('tools');
  const ytdlp = inject('ytdlp');
  const lines: string[] = [];
  const words = await startTranscriptionServer({
    product: 'whisper-1',
    instead: always('One says this. Another says that.'),
  });
  const report = await runChaos({
    env: { ...process.env, YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe },
    settings: {
      ...{ SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url },
      // Whoever stops lets what it has begun come to its end.
      SHUTDOWN_GRACE_SECONDS: '240',
      // Enough jobs are still open when the first release comes back.
      ...{ VIDNET_STARTS_PER_MINUTE: '20', IMGNET_STARTS_PER_MINUTE: '20' },
    },
    arguments: { jobs: 2 * OPEN_JOBS, minutes: 0.5, kills: 0, seed: 7, imgnet: undefined, patienceMinutes: 40 },
    relay: { before, openJobs: OPEN_JOBS },
    dataDir,
    say: (line) => lines.push(line),
    signal: new AbortController().signal,
  }).finally(() => words.stop());
  console.log([...lines, ...report.facts.map((fact) => fact.join(': '))].join('\n'));
  expect(report.findings.filter(({ ids }) => ids.length > 0)).toEqual([]);
  expect(lines.filter((line) => /upgraded|rolled back/.test(line))).toHaveLength(2);
  expect(Object.keys(report.jobs).length).toBe(Object.keys(KIND_WEIGHTS).length - 1);
  for (const folder of [dataDir, before]) await rm(folder, { recursive: true, force: true });
}, 3_600_000);

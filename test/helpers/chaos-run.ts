import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { runChaos, type RunOptions } from '../../quality/chaos/run.ts';
import { KIND_WEIGHTS } from '../../quality/chaos/subjects.ts';
import { always, startTranscriptionServer } from './transcription-server.ts';

type ChaosNumbers = RunOptions['arguments'];

/**
 * One of the runs that `npm run chaos` makes, whose table is in docs/reliability.md.
 *
 * @param options.hears whether speech is really heard, which takes a third of the run
 */
export function describeChaos(run: ChaosNumbers, { hears }: { readonly hears: boolean }): void {
  it('nothing is lost, doubled or left while processes are killed and lines are cut', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-chaos-'));
    const { ffmpeg, ffprobe } = inject('tools');
    const ytdlp = inject('ytdlp');
    const lines: string[] = [];
    const words = hears
      ? undefined
      : await startTranscriptionServer({ product: 'whisper-1', instead: always('One says this. Another says that.') });
    const report = await runChaos({
      env: { ...process.env, YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe },
      ...(words === undefined ? {} : { settings: { SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url } }),
      arguments: run,
      dataDir,
      say: (line) => lines.push(line),
      signal: new AbortController().signal,
    });
    await words?.stop();
    const found = report.findings.filter(({ ids }) => ids.length > 0);
    if (found.length > 0) console.log(lines.join('\n'));
    expect(found).toEqual([]);
    expect(report.findings.length).toBeGreaterThan(15);
    const killed = Object.values(report.kills).reduce((sum, count) => sum + count, 0);
    expect(killed).toBeGreaterThanOrEqual(run.kills);
    // A list has two types of jobs, transcripts share one, and so do both ways to speaker labels. The hostile caller has one more.
    expect(Object.keys(report.jobs).length).toBe(Object.keys(KIND_WEIGHTS).length);
    if (process.env['KEEP_E2E'] === undefined) await rm(dataDir, { recursive: true, force: true });
  }, 900_000);
}

import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CTRL_C, inTerminal } from '../helpers/in-terminal.ts';
import { runTool } from '../helpers/media.ts';
import { useSpeechTools } from '../helpers/speech-tools.ts';
import { until } from '../helpers/until.ts';
import { canBeWarm } from '../helpers/yt-dlp.ts';

const ROOT = join(import.meta.dirname, '../..');
const speech = useSpeechTools();
let folder: string;
let mediaDir: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-command-'));
  mediaDir = await mkdtemp(join(tmpdir(), 'tapedeck-media-'));
  const tone = ['-v', 'error', '-f', 'lavfi', '-i', 'sine=d=2', join(mediaDir, 'tone.wav')];
  await runTool(inject('tools').ffmpeg, tone);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await rm(mediaDir, { recursive: true, force: true });
});

/**
 * Runs an npm script on the engines of the test run until it has printed something, then ends it as Ctrl-C does.
 *
 * @param python runs it in a terminal
 */
async function command(
  script: string,
  args: readonly string[],
  printed: RegExp,
  python?: string,
): Promise<{ output: string; exitCode: number | null }> {
  const { ytdlp, ffmpeg, ffprobe } = inject('tools');
  const typed = ['npm', 'run', '--silent', script, '--', ...args] as const;
  const [program, given] = python === undefined ? [typed[0], typed.slice(1)] : inTerminal(python, ...typed);
  const child = spawn(program, given, {
    cwd: ROOT,
    detached: true,
    env: {
      ...process.env,
      ...{ YTDLP_PATH: ytdlp, FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe, DATA_DIR: folder },
      // Without fetching models.
      SPEECH_ENGINE: 'whisper',
      // A terminal in which nothing can move or be coloured.
      ...{ CI: '', TERM: 'dumb' },
      ...{ TEMPORAL_ADDRESS: inject('temporalAddress'), MONGODB_URI: inject('mongodbUri') },
      ...{
        PORT: '0',
        RPC_PORT: '0',
        SANDBOX_PORT: '0',
        TASK_QUEUE: `cmd-${script}`,
        MONGODB_DATABASE: `cmd-${script}`,
      },
    },
    stdio: 'pipe',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString().replaceAll('\r', '')));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  try {
    await until(() => printed.test(output) || child.exitCode !== null, { what: `${script} to print`, within: 90_000 });
  } finally {
    if (python !== undefined) child.stdin.write(CTRL_C);
    else if (child.exitCode === null) process.kill(-child.pid!, 'SIGINT');
  }
  return { output, exitCode: await ended };
}

describe('a command of the README', () => {
  it('npm start runs the service, and npm run sandbox -- --media DIR runs it on recordings with the same token', async () => {
    const { output } = await command('start', [], /Ctrl-C stops/, speech.tools.python);
    expect(output).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: worker: worker is ready \{"taskQueue":"cmd-start"/m);
    expect(output).toMatch(/REST +http:\/\/127\.0\.0\.1:\d+/);
    expect(output).not.toContain('Worker state changed');
    const file = join(folder, 'rpc-token');
    const token = await readFile(file, 'utf8');
    expect(token).toMatch(/^\w{64}$/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(output).toContain(`its token: ${file}`);
    expect(output).not.toContain(token);

    const toLookAt = /^To look at +http:\/\/127\.0\.0\.1:\d+\/console\/jobs\/[0-9A-Z]{26} /m;
    const { output: again } = await command('sandbox', ['--media', mediaDir], toLookAt, speech.tools.python);
    expect(again).toMatch(toLookAt);
    expect(again).toMatch(/^SANDBOX_URL=http:\/\/127\.0\.0\.1:\d+$/m);
    expect(again).toContain('1 recordings added');
    // What callers have been told stays good.
    expect(again).toContain(`its token: ${file}`);
    expect(await readFile(file, 'utf8')).toBe(token);
  }, 180_000);

  it('npm run api does not start without a token for tRPC, on loopback either', () => {
    const secrets = { LINK_SECRET: 's'.repeat(32), RPC_HOST: '127.0.0.1' };
    const env = { PATH: process.env['PATH'], TEMPORAL_ADDRESS: 'x', MONGODB_URI: 'mongodb://x', ...secrets };
    const args = ['local/bootstrap.mjs', 'api/main.ts'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('RPC_TOKEN: needed here and not set')]);
  });

  it('npm run engines prints settings for the other processes', async () => {
    const { output } = await command('engines', [], /YTDLP_PATH=/);
    expect(output).toContain(`TEMPORAL_ADDRESS=${inject('temporalAddress')}`);
  });

  it('npm run doctor shows each tool and engine', async () => {
    const { output, exitCode } = await command('doctor', [], /ffprobe/);
    for (const name of ['Node', 'Temporal', 'MongoDB', 'yt-dlp', 'ffmpeg', 'ffprobe']) expect(output).toContain(name);
    const isWarm = await canBeWarm(inject('tools').ytdlp);
    expect(output).toMatch(isWarm ? /, kept warm \(YTDLP_PATH\)/ : /, started anew for each call: .+ \(YTDLP_PATH\)/);
    expect(exitCode).not.toBe(1);
  });
});

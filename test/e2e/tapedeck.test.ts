import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import yauzl from 'yauzl';
import type { BatchAnswer } from '../../contract/batches/batch-answers.ts';
import type { DownloadRecord } from '../../clients/typescript/src/index.ts';
import { freePort } from '../../local/engines/ports.ts';
import { imgnetIndex } from '../helpers/imgnet.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const PROGRAM = join(import.meta.dirname, '../../command/tapedeck.mjs');
const ESCAPE = '\u001b';
const WITHIN_MS = 120_000;

let service: TestService;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-program-'));
  service = await TestService.shared();
}, 120_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Ends it as Ctrl-C does once it has said so. */
  readonly interruptAt?: RegExp;
}

/** Ids follow `--`, since one may begin with a hyphen. */
async function tapedeck(args: readonly string[], { env = {}, stdin = '', interruptAt }: RunOptions = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { ...process.env, TAPEDECK_URL: service.stack.restUrl, TAPEDECK_KEY: '', ...env },
    stdio: 'pipe',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  child.stdin.end(stdin);
  if (interruptAt !== undefined) {
    await until(() => interruptAt.test(stderr) || child.exitCode !== null, { what: 'its progress', within: 30_000 });
    child.kill('SIGINT');
  }
  const code = await ended;
  expect(stdout + stderr).not.toContain(ESCAPE);
  return { code, stdout, stderr, lines: stdout.split('\n').filter(Boolean) };
}

/** What `--json` prints of each result. */
interface Line {
  readonly input: string;
  readonly status: string;
  readonly ids: readonly string[];
  readonly files?: readonly string[];
  readonly result: object;
}
const parsed = (lines: readonly string[]): readonly Line[] => lines.map((line) => JSON.parse(line) as Line);

describe('the program tapedeck', { timeout: WITHIN_MS }, () => {
  it('saves the audio of a video once, whole, and overwrites nothing', async () => {
    const id = service.videoId('ordinary');
    const first = await tapedeck(['audio', '--output', 'tea.m4a', '--', id]);
    expect(first).toMatchObject({ code: 0, stdout: 'tea.m4a\n' });
    const bytes = await readFile(join(folder, 'tea.m4a'));
    expect(await readdir(folder)).toEqual(['tea.m4a']);
    expect(await tapedeck(['audio', '--output', 'tea.m4a', '--', id])).toMatchObject({
      ...{ code: 2, stdout: '', stderr: expect.stringContaining('--force') },
    });
    const saved = await tapedeck(['audio', '-o', 'all/', '--', id]);
    const again = await tapedeck(['audio', '-o', 'all/', '--', id]);
    expect([saved.stdout, saved.code, again.code]).toEqual([again.stdout, 0, 0]);
    expect(saved.stdout).toMatch(new RegExp(`^all/.+ \\[${id}\\]\\.m4a\n$`));
    expect(again.stderr).toContain('already exists');

    const listed = await tapedeck(['jobs', '--type', 'audio', `--media=${id}`, '--json']);
    const [record] = listed.lines.map((line) => JSON.parse(line) as DownloadRecord);
    const shown = await tapedeck(['job', record!.id]);
    expect(shown.stdout).toContain(createHash('sha256').update(bytes).digest('hex'));
    expect(await tapedeck(['cancel', record!.id])).toMatchObject({
      ...{ code: 1, stdout: '', stderr: expect.stringContaining(`${record!.id}: The download has ended already`) },
    });
  });

  it('prints nothing but a line of JSON with --json, and text without', async () => {
    const transcript = (...options: string[]) =>
      tapedeck(['transcript', '--language', 'en', ...options, '--', service.videoId('ordinary')]);
    const json = await transcript('--json');
    expect(json.code).toBe(0);
    expect(parsed(json.lines)).toEqual([
      expect.objectContaining({ status: 'success', result: expect.objectContaining({ status: 'ok' }) }),
    ]);
    const text = await transcript('--format', 'vtt');
    expect(text.stdout).toMatch(/^WEBVTT\n/);
    const comments = await transcript('--comments');
    const saved = JSON.parse(comments.stdout) as {
      video: { comments: unknown[] };
    };
    expect(saved.video.comments.length).toBeGreaterThan(0);
  });

  it('goes on with a list when one fails, and ends with 1', async () => {
    const [good, bad] = [service.videoId('ordinary', 1), service.videoId('private')];
    const stdin = `# two\n${bad}\n\nhttps://youtu.be/${good}\n${bad}\n`;
    const { code, lines, stderr } = await tapedeck(['audio', '--from', '-', '--json', '-o', 'list/'], { stdin });
    expect(code).toBe(1);
    const told = parsed(lines).toSorted((one, other) => one.status.localeCompare(other.status));
    expect(told).toMatchObject([
      { input: bad, status: 'failed', result: { data: { response: 'The video is private.' } } },
      { input: `https://youtu.be/${good}`, status: 'success' },
    ]);
    expect(stderr).toContain(`${bad}: The video is private.`);
    expect(stderr).toMatch(/^1 of 2 succeeded$/m);
    expect(told[1]!.files).toEqual([expect.stringContaining(`[${good}].m4a`)]);
    expect(await readdir(join(folder, 'list'))).toHaveLength(1);
  });

  it('starts a batch, and saves its archive', async () => {
    const ids = [service.videoId('ordinary', 1), service.videoId('ordinary')];
    const stdin = `${ids.join('\n')}\nhttps://youtu.be/${ids[0]!}\n`;
    const words = ['batch', '-', '--as', 'transcript', '--language', 'en', '--archive', 'all.zip', '--json'];
    const { code, lines, stderr } = await tapedeck(words, { stdin });
    expect([code, stderr]).toEqual([0, expect.stringContaining('has 2 items')]);
    const [batch] = lines.map((line) => JSON.parse(line) as BatchAnswer);
    expect(batch).toMatchObject({ status: 'finished', counts: { success: 2 } });
    const zip = await yauzl.openPromise(join(folder, 'all.zip'));
    const names: string[] = [];
    for await (const { fileName } of zip.eachEntry()) names.push(fileName);
    expect(names.filter((name) => name.endsWith('.srt'))).toHaveLength(2);
    expect(names.at(-1)).toBe('manifest.json');
    const listed = await tapedeck(['batches']);
    expect(listed.stdout).toMatch(new RegExp(`^${batch!.id} .* finished +2 items: 2 success  `, 'm'));
    const again = await tapedeck(['batches', 'retry', batch!.id]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no failed items')]);
  });

  it('requests the audio before speaker labels, and the profile before a list', async () => {
    const speakers = await tapedeck(['speakers', '-o', 'talk.rttm', '--', service.videoId('ordinary')]);
    expect(speakers).toMatchObject({ code: 0, stdout: 'talk.rttm\n' });
    expect(await readFile(join(folder, 'talk.rttm'), 'utf8')).toMatch(/^SPEAKER /);
    const { accounts } = await imgnetIndex(service);
    const { url } = accounts.find((account) => account.case === 'ordinary')!;
    const list = await tapedeck(['list', url, '--json']);
    expect(list.code).toBe(0);
    const [{ result, ids }] = parsed(list.lines) as [Line];
    const {
      posts,
      reels,
      total_count: count,
    } = result as Readonly<Record<'posts' | 'reels', unknown[]>> & {
      readonly total_count: number;
    };
    expect([ids.length, posts.length > 0, reels.length > 0, posts.length + reels.length]).toEqual([
      2,
      true,
      true,
      count,
    ]);
  });

  it('exits with 2 for a wrong command line and 3 for a refusing or unreachable service', async () => {
    const id = service.videoId('ordinary');
    const ends = await Promise.all([
      tapedeck(['audio', '--', id], { env: { TAPEDECK_KEY: `td_${'A'.repeat(43)}` } }),
      tapedeck(['jobs'], { env: { TAPEDECK_URL: `http://127.0.0.1:${String(await freePort())}` } }),
      tapedeck(['audio', 'two words']),
      tapedeck(['transcript', '--', id]),
      tapedeck(['webhook', 'test', 'ftp://receiver.example']),
      // No process would continue the job.
      tapedeck(['audio', '--no-wait', '--', id], { env: { TAPEDECK_URL: '', PORT: String(await freePort()) } }),
    ]);
    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual([3, 3, 2, 2, 2, 2].map((code) => [code, '']));
    const { MONGODB_URI = '', MONGODB_DATABASE = '' } = service.stack.env;
    const keys = await tapedeck(['keys', 'revoke', 'nobody'], { env: { MONGODB_URI, MONGODB_DATABASE } });
    expect(keys).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no key "nobody".') });
    expect(ends[1].stderr).toMatch(/cannot be reached.*ECONNREFUSED/);
    expect(ends[4].stderr).toMatch(/^url: /);
  });

  it('stops waiting at Ctrl-C, and goes on with the same job when it is asked again', async () => {
    const id = service.videoId('ordinary', 2);
    await service.misbehave({ video: id, target: 'media', mode: 'slow', bytes_per_second: 20_000 });
    const first = await tapedeck(['audio', '--', id], { interruptAt: /fetching/ });
    expect([first.code, first.stdout]).toEqual([130, '']);
    const [, job] = /Jobs continue in the service: (\w{26})\n/.exec(first.stderr) ?? [];
    await service.misbehave({ video: id, mode: 'off' });
    const second = await tapedeck(['audio', '--json', '-o', 'again.m4a', '--', id]);
    expect(second.code).toBe(0);
    expect(parsed(second.lines)).toMatchObject([{ ids: [job], status: 'success', files: ['again.m4a'] }]);
    expect((await service.served(id)).page_reads).toBe(1);
  });

  it('starts a service for itself where none runs, and ends it', async () => {
    const { ffmpeg, ffprobe } = inject('tools');
    const port = await freePort();
    const { code, stdout, stderr } = await tapedeck(['audio', '-o', 'own.m4a', '--', service.videoId('hd1080')], {
      env: {
        ...{ TAPEDECK_URL: '', PORT: String(port), RPC_PORT: '0', DATA_DIR: join(folder, 'data') },
        ...{ YTDLP_PATH: inject('ytdlp'), FFMPEG_PATH: ffmpeg, FFPROBE_PATH: ffprobe },
        ...{ TEMPORAL_ADDRESS: inject('temporalAddress'), MONGODB_URI: inject('mongodbUri') },
        ...{ TASK_QUEUE: `program-${service.idSalt}`, MONGODB_DATABASE: `program-${service.idSalt}` },
        ...service.sandbox.env,
      },
    });
    expect([code, stdout], stderr).toEqual([0, 'own.m4a\n']);
    expect(stderr).toContain(`No service answers at http://127.0.0.1:${String(port)}: starting one`);
    expect((await readFile(join(folder, 'own.m4a'))).length).toBeGreaterThan(10_000);
    await expect(fetch(`http://127.0.0.1:${String(port)}/live`)).rejects.toThrow('fetch failed');
  });
});

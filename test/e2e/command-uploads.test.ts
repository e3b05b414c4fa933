import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AudioRecord } from '../../contract/kinds/audio.ts';
import { TestService } from '../helpers/service.ts';
import { always, startTranscriptionServer, type TranscriptionServer } from '../helpers/transcription-server.ts';

const PROGRAM = join(import.meta.dirname, '../../command/tapedeck.mjs');
const TEA = new URL('../../local/sandbox/catalogue/media/tea/140.m4a', import.meta.url);

let words: TranscriptionServer;
let service: TestService;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-uploads-'));
  await copyFile(TEA, join(folder, 'Tea at five.m4a'));
  await writeFile(join(folder, 'notes.txt'), 'Tea.');
  words = await startTranscriptionServer({
    product: 'whisper-1',
    instead: always('One says this. Another says that.'),
  });
  service = await TestService.start({ env: { SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url } });
}, 240_000);
afterAll(async () => {
  await service.stop();
  await words.stop();
  await rm(folder, { recursive: true, force: true });
});

async function tapedeck(...args: readonly string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      TAPEDECK_URL: service.stack.restUrl,
      TAPEDECK_KEY: '',
      HOME: folder,
      XDG_STATE_HOME: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

describe('the program tapedeck', { timeout: 120_000 }, () => {
  it('sends a recording, whose ID its other commands accept', async () => {
    const sent = await tapedeck('upload', 'Tea at five.m4a', '--json');
    expect(sent).toMatchObject({ code: 0 });
    const record = JSON.parse(sent.stdout) as AudioRecord & { readonly name: string };
    expect(record).toMatchObject({ type: 'upload', status: 'success', name: 'Tea at five.m4a', duration: '00:00:29' });
    const spoken = await tapedeck('speakers', record.id, '--format', 'txt');
    expect(spoken).toMatchObject({ code: 0, stdout: expect.stringMatching(/Speaker \d: .*Another/) });
  });

  it('sends a recording and prints its transcript with speakers by one command', async () => {
    const spoken = await tapedeck('speech', './Tea at five.m4a', '--output', 'tea.srt');
    expect(spoken).toMatchObject({ code: 0, stdout: 'tea.srt\n' });
    expect(await readFile(join(folder, 'tea.srt'), 'utf8')).toMatch(/^1\n00:00:.+ --> .+\nSpeaker 1: One/);
  });

  it('says why a file is no recording, and which file does not exist', async () => {
    const why = 'The media cannot be read: they are damaged or in an unknown format.';
    for (const command of ['upload', 'speech']) {
      expect(await tapedeck(command, 'notes.txt')).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    }
    expect(await tapedeck('upload', 'nothing.m4a')).toMatchObject({
      ...{ code: 2, stdout: '', stderr: expect.stringContaining('nothing.m4a: there is no such file.') },
    });
  });
});

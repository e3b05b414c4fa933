import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService } from '../helpers/service.ts';
import { always, startTranscriptionServer, type TranscriptionServer } from '../helpers/transcription-server.ts';
import { readmeBlocks } from '../readme-sandbox.ts';

const WITHIN_MS = 180_000;

let service: TestService;
let folder: string;
/** Hears the words; the voices are told apart by the service. */
let words: TranscriptionServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-readme-'));
  words = await startTranscriptionServer({
    product: 'whisper-1',
    instead: always('One says this. Another says that.'),
  });
  service = await TestService.start({ env: { SPEECH_ENGINE: 'openai', SPEECH_OPENAI_URL: words.url } });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await words.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the README', () => {
  it.each(readmeBlocks().map(({ id, code }) => [id, code]))(
    'keeps its word: %s',
    async (_id, code) => {
      const env = { ...process.env, SERVICE: service.stack.restUrl, SANDBOX: service.sandbox.url };
      const child = spawn('bash', ['-c', code], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const exitCode = await new Promise((resolve) => child.on('close', resolve));
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    },
    WITHIN_MS,
  );
});

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService } from '../helpers/service.ts';
import { readmeBlocks } from '../readme-sandbox.ts';

const WITHIN_MS = 180_000;

let service: TestService;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-readme-'));
  // As `npm link` does.
  await mkdir(join(folder, 'bin'));
  await symlink(join(import.meta.dirname, '../../command/tapedeck.mjs'), join(folder, 'bin', 'tapedeck'));
  service = await TestService.shared();
}, 120_000);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the README', () => {
  it.each(readmeBlocks().map(({ id, code }) => [id, code]))(
    'keeps its word: %s',
    async (_id, code) => {
      const PATH = [join(folder, 'bin'), process.env['PATH']].join(delimiter);
      const env = { ...process.env, PATH, SERVICE: service.stack.restUrl, SANDBOX: service.sandbox.url };
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

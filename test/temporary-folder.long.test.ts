import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

it('leaves nothing in the temporary folder of the system after `npm test`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'left-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The tests of this file leave a folder.
  const args = [join(import.meta.dirname, 'main.ts'), '--project', 'engines', 'test/api/speaker-labels.test.ts'];
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: folder };
  const run = spawnSync(process.execPath, args, { cwd: join(import.meta.dirname, '..'), env, encoding: 'utf8' });
  expect(run.stdout).toContain('1 passed');
  expect([run.status, readdirSync(folder)]).toEqual([0, []]);
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const PROGRAMS = {
  tapedeck: 'command/main.ts --help',
  'the completion script of tapedeck': 'command/main.ts completion bash',
  'npm run keys': 'operator/keys/main.ts --help',
  'npm run models': 'operator/models/main.ts list',
};

/** @param around a command of bash in which % is the program */
function bash(around: string, program: string) {
  // With a socket as standard input, bash would read its start-up files.
  const args = ['--norc', '-c', around.replace('%', `"${process.execPath}" ${program}`)];
  const options = { cwd: join(import.meta.dirname, '../..'), env: { PATH: process.env['PATH'] } };
  const { status, stdout, stderr } = spawnSync('bash', args, { ...options, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe.each(Object.entries(PROGRAMS))('%s', (_, program) => {
  it('reports that its output cannot be written', () => {
    const { status, stderr } = bash('% > /dev/full', program);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output cannot be written: ENOSPC.*\n$/)]);
  });

  it('reports that a part of its output cannot be written', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapedeck-output-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'file');
    // Files may have 1,024 bytes, of which the program can write the last 100.
    writeFileSync(file, 'x'.repeat(924));
    const { status, stderr } = bash(`ulimit -f 1; % >> '${file}'`, program);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^The output cannot be written: EFBIG.*\n$/)]);
  });

  it('ends quietly when the reader of a pipe leaves, and writes everything to one that is slow', () => {
    expect(bash('% | true; exit ${PIPESTATUS[0]}', program)).toMatchObject({ status: 0, stderr: '' });
    const whole = bash('%', program).stdout;
    expect(whole.length).toBeGreaterThan(100);
    expect(bash('% | { sleep 0.2; cat; }', program).stdout).toBe(whole);
  });
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const execute = promisify(execFile);
const LOG = new URL('../../runtime/telemetry/log.ts', import.meta.url).href;
/** What a title, or an error that quotes one, may hold. */
const LINES = `
  log.debug('unseen');
  log.info({ engine: 'sherpa', windows: 2 }, 'speech engine');
  log.warn('a title \\u001b]0;own\\u0007 of C:\\\\u001b, \\u009b2J');
  log.fatal({ err: new Error('\\u001b[2J\\rgone') }, 'cannot start');
  process.exit(1);`;
const TERMINAL = 'Object.assign(process.stdout, { isTTY: true, hasColors: () => true });';

/** What a process of its own logs: its standard output is a pipe. */
async function logged(format: string, before = ''): Promise<string> {
  const settings = JSON.stringify({ LOG_LEVEL: 'info', LOG_FORMAT: format });
  const code = `${before}
    const { createLog } = await import(${JSON.stringify(LOG)});
    const log = await createLog('worker', ${settings});${LINES}`;
  const ended = execute(process.execPath, ['--input-type=module', '-e', code]);
  return ended.catch((error: unknown) => (error as { stdout: string }).stdout) as Promise<string>;
}

describe('the log', () => {
  it.each([
    ['auto', ''],
    ['json', TERMINAL],
  ])('is JSON, each line whole when the process ends: %s', async (format, before) => {
    const lines = (await logged(format, before)).trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as { level: number });
    // The last ones may come in another order when the process ends at once.
    expect(told.sort((a, b) => a.level - b.level)).toMatchObject([
      { level: 30, part: 'worker', msg: 'speech engine', engine: 'sherpa', windows: 2 },
      { level: 40 },
      { level: 60, msg: 'cannot start', err: { message: '\u001b[2J\rgone' } },
    ]);
  });

  it('is lines for people in a terminal, which nothing quoted in them can move or colour', async () => {
    const text = await logged('auto', TERMINAL);
    expect(text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] \u001b\[32mINFO\u001b\[39m: \S+worker: speech engine/);
    expect(text).toContain('{"engine":"sherpa","windows":2}');
    expect(text).toContain('a title \ufffd]0;own\ufffd of C:\\u001b, \ufffd2J');
    expect(text).toContain('Error: \ufffd[2J\ufffdgone\n');
    // Nothing but the colours is left.
    expect(text.replace(/\u001b\[\d\dm/g, '')).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('has no colours where such lines are asked for without a terminal', async () => {
    const text = await logged('text');
    expect(text).toMatch(/^\[\S+\] INFO: worker: speech engine \{/);
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// npm test: vitest in a process of its own, so that its module loading is its own. What takes long runs when it is asked for,
// by `npm run test:long` or by the name of a file.
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const args = process.argv.slice(2);
const isChosen = args.some((arg) => arg.startsWith('--project') || !arg.startsWith('-'));
const projects = isChosen ? [] : ['--project', '!long*'];
// The name is short, because sockets in the folder may have a path of 107 bytes.
const folder = mkdtempSync(join(tmpdir(), 'td-'));
// A test starts a process as another user, who must be able to enter the folder as he can enter /tmp.
chmodSync(folder, 0o711);
const env = { ...process.env, TMPDIR: folder };
const child = spawn(process.execPath, [vitest, 'run', ...projects, ...args], { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  process.exitCode = code ?? 1;
});

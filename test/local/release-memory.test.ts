import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../helpers/markdown.ts';

/** The import is indented, because test/unit-files.ts follows those at the start of a line. */
const PROGRAM = `
  import { releaseMemoryAfterStart } from './local/release-memory.ts';
releaseMemoryAfterStart();
const heap = () => process.memoryUsage().heapTotal / 1024 ** 2;
let garbage = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
const before = heap();
garbage = undefined;
setTimeout(() => console.log(JSON.stringify([before, heap()])), 13_000);
`;

it('the memory that the start of a process took is released when it is idle', async () => {
  const args = ['--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const [before = NaN, after = NaN] = JSON.parse(stdout) as number[];
  expect(after).toBeLessThan(before / 2);
}, 60_000);

// npm run bench -- [PART…]: how fast the service is, each figure beside a reference that was measured in the same run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from './arguments.ts';
import { textOf, writePage } from './page.ts';
import { PARTS } from './parts.ts';
import { keep, keptResult } from './results.ts';

if (process.platform !== 'linux') throw new Error('the bench runs on Linux only: it reads /proc');
const { parts, keep: isKept, options } = readArguments(process.argv.slice(2));
const unknown = parts.filter((name) => !(name in PARTS));
if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}`);
for (const [name, part] of Object.entries(PARTS)) {
  if (parts.length > 0 && !parts.includes(name)) continue;
  const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-bench-'));
  try {
    const result = await keptResult(
      { part: name, engine: options.engine, dataDir },
      await part.run({ ...options, dataDir, say: (line) => console.error(line) }),
    );
    console.log(`\n${part.title}\n${textOf(result.findings)}`);
    if (isKept) await keep(result);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
if (isKept) await writePage();

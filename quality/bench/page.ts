import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ENGINES } from './engine.ts';
import { loadModel } from './load-model.ts';
import type { Finding } from './part.ts';
import { PARTS } from './parts.ts';
import { nameOf, readKept } from './results.ts';
import { rounded } from './rounds.ts';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const HEAD = ['what', 'unit', 'here', 'reference', 'of it', 'ratio'];

export function textOf(findings: readonly Finding[]): string {
  const lines = [HEAD, ...findings.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

function cellsOf({ what, unit, value, reference }: Finding): string[] {
  const number = (one: number): string => String(rounded(one));
  if (reference === undefined) return [what, unit, number(value), '', '', ''];
  return [what, unit, number(value), reference.what, number(reference.value), number(value / reference.value)];
}

/** Writes docs/performance.md anew, with the chief findings of all results that are kept. */
export async function writePage(): Promise<void> {
  const kept = await readKept();
  const chief: string[] = [];
  for (const part of Object.keys(PARTS)) {
    for (const engine of ENGINES) {
      const beside = engine === 'embedded' ? '' : ' (PostgreSQL)';
      const findings = kept.get(nameOf({ part, engine }))?.findings.filter(({ isChief }) => isChief) ?? [];
      chief.push(...findings.map((one) => `|${cellsOf({ ...one, what: one.what + beside }).join('|')}|`));
    }
  }
  const intro =
    '`npm run bench -- --keep` makes this page. Each figure has a reference from the same run; medians of alternating rounds. `quality/bench/results/` has all findings. Temporal is embedded; with `--engine cluster` it is a server of 512 shards on PostgreSQL.';
  const table = [`|${HEAD.join('|')}|`, `|${HEAD.map(() => '-').join('|')}|`, ...chief].join('\n');
  await writeFile(PAGE, `# Performance\n\n${[intro, table, loadModel(kept)].join('\n\n')}\n`);
}

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ENGINES } from './engine.ts';
import { loadModel } from './load-model.ts';
import type { Finding } from './part.ts';
import { PARTS } from './parts.ts';
import { plotOf } from './plot.ts';
import { nameOf, readKept, RESULTS, type KeptResult } from './results.ts';
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

/** Writes docs/performance.md and its pictures anew, from all results that are kept. The page has the chief findings, the pictures all. */
export async function writePage(): Promise<void> {
  const kept = await readKept();
  const chief: string[] = [];
  const pictures: string[] = [];
  const runs = Object.entries(PARTS).flatMap(([part, { title }]) => ENGINES.map((engine) => ({ part, title, engine })));
  for (const { part, title: ofPart, engine } of runs) {
    const name = nameOf({ part, engine });
    const result = kept.get(name);
    if (result === undefined) continue;
    const beside = engine === 'embedded' ? '' : ' (Temporal on PostgreSQL)';
    const title = ofPart + beside;
    await writeFile(`${RESULTS}/${name}.svg`, plotOf(`${title} (${originOf(result)})`, result.findings));
    const rows = result.findings.filter(({ isChief }) => isChief).map((one) => ({ ...one, what: one.what + beside }));
    chief.push(...rows.map((one) => `|${cellsOf(one).join('|')}|`));
    pictures.push(`![${title}](../quality/bench/results/${name}.svg)`);
  }
  const intro =
    '`npm run bench -- --keep` makes this page. Each figure has a reference from the same run; medians of alternating rounds. Temporal is the embedded one; with `--engine cluster` it is a server of 512 shards on PostgreSQL.';
  const table = [`|${HEAD.join('|')}|`, `|${HEAD.map(() => '-').join('|')}|`, ...chief].join('\n');
  await writeFile(PAGE, `# Performance\n\n${[intro, table, loadModel(kept), ...pictures].join('\n\n')}\n`);
}

function originOf({ measuredAt, machine, commit }: KeptResult): string {
  return `${measuredAt.slice(0, 10)}, ${String(machine.cores)} cores of ${machine.processor}, ${commit}`;
}

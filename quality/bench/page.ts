import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Finding } from './part.ts';
import { PARTS } from './parts.ts';
import { readKept, type KeptResult } from './results.ts';
import { rounded } from './statistics.ts';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const HEAD = ['what', 'unit', 'here', 'reference', 'of it', 'ratio'];

/** For a terminal and for the page: a Markdown table. */
export function textOf(findings: readonly Finding[]): string {
  const lines = [HEAD, ...findings.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(HEAD), rule, ...lines.slice(1).map(line)].join('\n');
}

function cellsOf({ what, unit, value, reference }: Finding): string[] {
  const number = (one: number): string => String(rounded(one));
  if (reference === undefined) return [what, unit, number(value), '', '', ''];
  return [what, unit, number(value), reference.what, number(reference.value), number(value / reference.value)];
}

/** Writes docs/performance.md anew from all results that are kept. */
export async function writePage(): Promise<void> {
  const kept = await readKept();
  const sections = Object.entries(PARTS).flatMap(([name, { title }]) => {
    const result = kept.get(name);
    return result === undefined ? [] : [`## ${title}\n\n${textOf(result.findings)}\n\n${originOf(result)}\n`];
  });
  const intro = 'Made by `npm run bench -- --keep`; raw numbers are in `quality/bench/results/`.';
  await writeFile(PAGE, `# Performance\n\n${intro}\n\n${sections.join('\n')}`);
}

function originOf({ measuredAt, machine, commit }: KeptResult): string {
  return `${measuredAt.slice(0, 10)}, ${String(machine.cores)} cores (${machine.processor}), ${commit}.`;
}

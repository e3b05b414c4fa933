import { writeFile } from 'node:fs/promises';
import type { runChaos } from './run.ts';

/** How many ids of a column are printed. */
const SHOWN_IDS = 10;

/** What a run has shown. */
export type ChaosReport = Awaited<ReturnType<typeof runChaos>>;

export function isClean({ findings }: ChaosReport): boolean {
  return findings.every(({ ids }) => ids.length === 0);
}

/** Two tables in Markdown, and the ids of whatever is not 0. */
export function renderReport({ findings, facts }: ChaosReport): string {
  const audit = table(
    ['Audit', 'Found'],
    findings.map(({ column, ids }) => [column, String(ids.length)]),
  );
  const summary = table(['Run', ''], facts);
  const details = findings
    .filter(({ ids }) => ids.length > 0)
    .flatMap(({ column, ids }) => {
      const more = ids.length > SHOWN_IDS ? [`  … and ${String(ids.length - SHOWN_IDS)} more`] : [];
      return ['', `${column}:`, ...ids.slice(0, SHOWN_IDS).map((id) => `  ${id}`), ...more];
    });
  return [summary, '', audit, ...details].join('\n');
}

export async function writeReport(file: string, report: ChaosReport): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
}

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  const all = [head, ...rows];
  const width = (column: 0 | 1): number => Math.max(3, ...all.map((row) => row[column].length));
  const line = ([first, second]: readonly [string, string]): string =>
    `| ${first.padEnd(width(0))} | ${second.padEnd(width(1))} |`;
  return [line(head), `| ${'-'.repeat(width(0))} | ${'-'.repeat(width(1))} |`, ...rows.map(line)].join('\n');
}

import type { runChaos } from './run.ts';

/** The maximum number of IDs that are printed for a column. */
const SHOWN_IDS = 10;

/** Renders two tables in Markdown, followed by the IDs of columns that are not 0. */
export function renderReport({ findings, facts }: Awaited<ReturnType<typeof runChaos>>): string {
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

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string {
  const all = [head, ...rows];
  const width = (column: 0 | 1): number => Math.max(3, ...all.map((row) => row[column].length));
  const line = ([first, second]: readonly [string, string]): string =>
    `| ${first.padEnd(width(0))} | ${second.padEnd(width(1))} |`;
  return [line(head), `| ${'-'.repeat(width(0))} | ${'-'.repeat(width(1))} |`, ...rows.map(line)].join('\n');
}

/**
 * Reads comma-separated values (RFC 4180), of which the first line names the columns.
 *
 * @returns a row by its columns; empty values are left out
 */
export function readCsv(text: string): Readonly<Record<string, string>>[] {
  const [columns = [], ...rows] = linesIn(text.replace(/^\uFEFF/, ''));
  return rows.map((row) =>
    Object.fromEntries(
      columns.flatMap((column, index) => {
        const value = row[index] ?? '';
        return value === '' ? [] : [[column, value] as const];
      }),
    ),
  );
}

/** A value, in quotes or not, and what ends it. */
const VALUE = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function linesIn(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  VALUE.lastIndex = 0;
  while (VALUE.lastIndex < text.length) {
    const found = VALUE.exec(text);
    // Neither a value nor its end: what follows cannot be told apart.
    if (found === null) break;
    const [, quoted, plain = '', end] = found;
    line.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  if (line.length > 0) lines.push([...line, '']);
  return lines;
}

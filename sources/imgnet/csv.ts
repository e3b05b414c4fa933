/** Reads comma-separated values (RFC 4180) with a header line. Empty values are left out. */
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

/** A quoted or unquoted value and its delimiter. */
const VALUE = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function linesIn(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  VALUE.lastIndex = 0;
  while (VALUE.lastIndex < text.length) {
    const found = VALUE.exec(text);
    // The text is not valid CSV here, so the rest cannot be parsed.
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

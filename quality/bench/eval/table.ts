import { z } from 'zod';

/** Sums of seconds, as pyannote.metrics gives them. */
const diarizationSums = z.object({
  total: z.number(),
  missed: z.number(),
  falseAlarm: z.number(),
  confusion: z.number(),
});
export const scoreSchema = z.object({
  name: z.string(),
  collars: z.array(diarizationSums).optional(),
  /** The least share of a speaker's time that has one label. */
  keptLabel: z.number().optional(),
  text: z.object({ words: z.number(), wordErrors: z.number(), pairedErrors: z.number() }).optional(),
});

export interface Row extends Readonly<z.infer<typeof scoreSchema>> {
  readonly durationSeconds: number;
  /** Undefined without a reference. */
  readonly speakers: { readonly expected: number | undefined; readonly found: number };
  readonly elapsedSeconds: number;
  readonly peakBytes: number | undefined;
}

const HEAD =
  'recording seconds speakers found DER missed false-alarm confused DER-collar kept WER cpWER real-time MiB'.split(' ');

/** The rows as aligned text. Their columns are described in README.md. */
export function tableOf(rows: readonly Row[], groups: Readonly<Record<string, readonly Row[]>>): string {
  const lines = [
    HEAD,
    ...rows.map(cellsOf),
    ...Object.entries(groups)
      .filter(([, members]) => members.length > 0)
      .map(([name, members]) => cellsOf(sumOf(name, members))),
  ];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return lines.map(line).join('\n');
}

/** Rates of several recordings are those of their sums, so a recording counts by its speech. */
function sumOf(name: string, rows: readonly Row[]): Row {
  const sum = (valueOf: (row: Row) => number | undefined): number =>
    rows.reduce((total, row) => total + (valueOf(row) ?? 0), 0);
  return {
    name,
    durationSeconds: sum((row) => row.durationSeconds),
    speakers: { expected: undefined, found: Number.NaN },
    // Without a recording that was scored all sums are 0, and no rate is shown.
    collars: [0, 1].map((i) => ({
      total: sum(({ collars }) => collars?.[i]?.total),
      missed: sum(({ collars }) => collars?.[i]?.missed),
      falseAlarm: sum(({ collars }) => collars?.[i]?.falseAlarm),
      confusion: sum(({ collars }) => collars?.[i]?.confusion),
    })),
    text: {
      words: sum(({ text }) => text?.words),
      wordErrors: sum(({ text }) => text?.wordErrors),
      pairedErrors: sum(({ text }) => text?.pairedErrors),
    },
    elapsedSeconds: sum((row) => row.elapsedSeconds),
    peakBytes: Math.max(...rows.map((row) => row.peakBytes ?? 0)) || undefined,
  };
}

function cellsOf({
  name,
  durationSeconds,
  speakers,
  collars,
  keptLabel,
  text,
  elapsedSeconds,
  peakBytes,
}: Row): string[] {
  const [exact, lenient] = collars ?? [];
  const share = (part: number | undefined, whole: number | undefined): string =>
    part === undefined || whole === undefined || whole === 0 ? '–' : (part / whole).toFixed(3);
  const errors = (sums: z.infer<typeof diarizationSums> | undefined): number | undefined =>
    sums && sums.missed + sums.falseAlarm + sums.confusion;
  return [
    name,
    durationSeconds.toFixed(1),
    speakers.expected === undefined ? '–' : String(speakers.expected),
    Number.isNaN(speakers.found) ? '–' : String(speakers.found),
    share(errors(exact), exact?.total),
    share(exact?.missed, exact?.total),
    share(exact?.falseAlarm, exact?.total),
    share(exact?.confusion, exact?.total),
    share(errors(lenient), lenient?.total),
    keptLabel?.toFixed(3) ?? '–',
    share(text?.wordErrors, text?.words),
    share(text?.pairedErrors, text?.words),
    share(elapsedSeconds, durationSeconds),
    peakBytes === undefined ? '–' : (peakBytes / 1024 ** 2).toFixed(0),
  ];
}

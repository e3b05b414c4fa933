const BAR_CHARS = 40;
const DRAW_EVERY_MS = 100;
const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;

export interface ProgressView {
  /** @param percent of the whole command; undefined if the stage does not know it */
  show(stage: string, percent: number | undefined, text: string): void;
  /** Ends the bar. @param text the result; absent after a failure */
  end(text?: string): void;
}

interface ProgressOptions {
  /** The terminal for a moving bar. Without one, lines are written. */
  readonly terminal: NodeJS.WriteStream | undefined;
  /** The text before the bar. */
  readonly title: string;
  /** Writes a line, at each stage and after each `stepPercent` of it. */
  readonly line: (text: string, percent: number | undefined) => void;
  readonly stepPercent: number;
}

export function createProgressView({ terminal, title, line, stepPercent }: ProgressOptions): ProgressView {
  return terminal === undefined ? lines(line, stepPercent) : bar(terminal, title);
}

function bar(terminal: NodeJS.WriteStream, title: string): ProgressView {
  let shown = 0;
  let drawnAtMs = -Infinity;
  const draw = (text: string): void => {
    drawnAtMs = performance.now();
    const full = Math.round((shown / 100) * BAR_CHARS);
    const drawn = `  ${title}${'█'.repeat(full)}${'░'.repeat(BAR_CHARS - full)} ${String(Math.round(shown)).padStart(3)} %  ${text}`;
    // A wrapped line could not be overwritten. Some terminals report 0 columns.
    terminal.write(`\r\u001b[2K${drawn.slice(0, (terminal.columns || 80) - 1)}`);
  };
  return {
    show(_stage, percent, text) {
      shown = percent ?? shown;
      if (performance.now() - drawnAtMs >= DRAW_EVERY_MS) draw(text);
    },
    end(text) {
      if (text !== undefined) {
        shown = 100;
        draw(text);
      }
      if (drawnAtMs > 0) terminal.write('\n');
      drawnAtMs = -Infinity;
    },
  };
}

function lines(line: ProgressOptions['line'], stepPercent: number): ProgressView {
  let last = { stage: '', step: 0 };
  return {
    show(stage, percent, text) {
      const before = stage === last.stage ? last.step : 0;
      const step = percent === undefined ? before : Math.floor(percent / stepPercent);
      if (stage === last.stage && step === last.step) return;
      last = { stage, step };
      line(text, percent);
    },
    end(text) {
      if (text !== undefined) line(text, 100);
    },
  };
}

/** Interval of the lines for a download of unknown size. */
const STEP_BYTES = 50_000_000;

export function showFetched(view: ProgressView, done: number, whole: number | undefined): void {
  if (whole === undefined)
    view.show(`fetched ${Math.floor(done / STEP_BYTES)}`, undefined, `fetched ${megabytes(done)}`);
  else view.show('fetched', (done / whole) * 100, `fetched ${megabytes(done)} of ${megabytes(whole)}`);
}

/** @param leastPower the power of 1000 of the smallest unit, 0 for bytes @returns a size such as `487.3 kB` */
export function sizeText(bytes: number, leastPower = 0): string {
  const power = Math.max(leastPower, Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  return power === 0 ? `${String(bytes)} bytes` : `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power] ?? ''}`;
}

export function megabytes(bytes: number): string {
  return sizeText(bytes, 2);
}

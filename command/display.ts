import { createLogUpdate } from 'log-update';
import { styleText } from 'node:util';
import type { Progress } from '../clients/typescript/src/index.ts';
import { sizeText } from '../runtime/terminal-progress.ts';
import { oneLine, printable } from './printable.ts';

const BAR_CHARS = 24;
const TITLE_CHARS = 32;
const STEP_PERCENT = 25;
const DRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 1_000;

export type Display = ReturnType<typeof createDisplay>;
type Kind = 'dim' | 'problem';

interface DisplayOptions {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WriteStream;
  readonly isColoured: boolean;
  readonly isMoving: boolean;
}

/** Shows moving bars on a terminal, and otherwise a line for each change. */
export function createDisplay({ out, err, isColoured, isMoving }: DisplayOptions) {
  const isLive = err.isTTY && isMoving;
  const update = isLive ? createLogUpdate(err) : undefined;
  const bars = new Map<object, string>();
  let total: string | undefined;
  let drawnAtMs = -Infinity;
  const draw = (isDue: boolean): void => {
    if (update === undefined || (!isDue && performance.now() - drawnAtMs < DRAW_EVERY_MS)) return;
    drawnAtMs = performance.now();
    const lines = [...bars.values(), ...(total === undefined ? [] : [total])];
    if (lines.length === 0) update.clear();
    else update(lines.join('\n'));
  };
  /** Permanent lines are printed above the bars. */
  const above = (write: () => void): void => {
    update?.clear();
    write();
    draw(true);
  };
  const note = (text: string, kind?: Kind): void => {
    const line = oneLine(text);
    const isStyled = kind !== undefined && err.isTTY && isColoured;
    const style = kind === 'dim' ? 'dim' : 'red';
    above(() => err.write(`${isStyled ? styleText(style, line, { validateStream: false }) : line}\n`));
  };
  return {
    note,
    work(title: string) {
      const name = oneLine(title);
      const key = {};
      let last = { stage: '', change: '', atMs: -Infinity };
      return {
        /** A new stage starts a new bar. */
        show({ stage, percent, text }: { stage: string; percent?: number | undefined; text: string }): void {
          if (isLive) {
            bars.set(
              key,
              `${barText(percent)}  ${name.slice(0, TITLE_CHARS)}  ${oneLine(text)}`.slice(0, (err.columns || 80) - 1),
            );
            // A stage that has begun is shown at once, because the next update may take long.
            draw(stage !== last.stage);
            last.stage = stage;
            return;
          }
          const nowMs = performance.now();
          const step = percent === undefined ? '' : `${String(Math.floor(percent / STEP_PERCENT) * STEP_PERCENT)} %`;
          const change = stage === 'waiting' ? text : step;
          if (stage === last.stage && (change === last.change || nowMs - last.atMs < LINE_EVERY_MS)) return;
          last = { stage, change, atMs: nowMs };
          note(`${name}: ${text}${step === '' ? '' : `, ${step}`}`);
        },
        end(): void {
          bars.delete(key);
          draw(true);
        },
      };
    },
    /** Shows the progress of several tasks together in a bar below the others, if the terminal has bars. */
    total(done: number, all: number): void {
      total = `${barText((done / all) * 100)}  ${String(done)} of ${String(all)}`;
      draw(true);
    },
    print: (text: string): void => above(() => out.write(`${oneLine(text)}\n`)),
    printText: (text: string): void => above(() => out.write(`${printable(text)}\n`)),
    end(): void {
      bars.clear();
      total = undefined;
      update?.clear();
      update?.done();
    },
  };
}

export function barText(percent: number | undefined): string {
  // A missing or wrong total would make the share NaN, infinite or more than 1.
  const known = percent === undefined || Number.isNaN(percent) ? undefined : Math.min(Math.max(percent, 0), 100);
  const full = Math.round(((known ?? 0) / 100) * BAR_CHARS);
  const number = known === undefined ? '' : `${String(Math.round(known))} %`;
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CHARS - full)} ${number.padStart(5)}`;
}

export function progressText(progress: Progress): string {
  const { stage, downloaded_bytes: bytes, items, reason, until } = progress;
  const what = stage.replaceAll('_', ' ');
  const of = (done: string, all: string | undefined) => `${what} ${done}${all === undefined ? '' : ` of ${all}`}`;
  if (stage === 'waiting') {
    const parts = [what, reason && `: ${reason}`, until && ` (until ${until.slice(11, 16)} UTC at least)`];
    return parts.filter(Boolean).join('');
  }
  if (bytes !== undefined)
    return of(sizeText(bytes), progress.total_bytes === undefined ? undefined : sizeText(progress.total_bytes));
  return items === undefined ? what : of(String(items), progress.total_items?.toString());
}

import { SingleBar } from 'cli-progress';
import type { Progress } from '../../contract/fields.ts';
import { sizeText } from './format.ts';
import type { Terminal } from './terminal.ts';

const PLAIN_STEP_PERCENT = 25;

export interface ProgressView {
  show(progress: Progress): void;
  /** Ends the bar, full when all went well. */
  end(done: boolean): void;
}

/** A bar for whoever watches, lines for a file. */
export function createProgressView(terminal: Terminal): ProgressView {
  return terminal.isLive ? bar() : lines(terminal);
}

function bar(): ProgressView {
  const single = new SingleBar({
    format: '  {bar} {percentage} %  {what}',
    barsize: 40,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: false,
    fps: 15,
    autopadding: true,
  });
  single.start(100, 0, { what: 'waiting' });
  return {
    show(progress) {
      const what = describe(progress);
      // A stage without a percentage says nothing about how far the job is: the bar stays where it is.
      if (progress.percent === undefined) single.update({ what });
      else single.update(Math.round(progress.percent), { what });
    },
    end(done) {
      if (done) single.update(100, { what: 'done' });
      single.stop();
    },
  };
}

function lines(terminal: Terminal): ProgressView {
  let last = { stage: '', step: 0 };
  return {
    show(progress) {
      const { stage, percent } = progress;
      const step = Math.floor((percent ?? 0) / PLAIN_STEP_PERCENT);
      if (stage === last.stage && (percent === undefined || step === last.step)) return;
      last = { stage, step };
      const share = percent === undefined ? '' : `${String(Math.round(percent))} %`;
      terminal.fact('Progress', [share.padStart(5), describe(progress)].join('  '));
    },
    end(done) {
      if (done) terminal.fact('Progress', '100 %  done');
    },
  };
}

function describe({ stage, downloaded_bytes: bytes, total_bytes: total, ...rest }: Progress): string {
  const { items, total_items: windows = 0 } = rest;
  if (stage === 'transcribing' && windows > 1) return `${stage} ${String(items)} of ${String(windows)} windows`;
  if (stage !== 'fetching' || bytes === undefined) return stage;
  return total === undefined ? `${stage} ${sizeText(bytes)}` : `${stage} ${sizeText(bytes)} of ${sizeText(total)}`;
}

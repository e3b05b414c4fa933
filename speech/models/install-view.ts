import { SingleBar } from 'cli-progress';
import { megabytes } from './free-space.ts';
import type { InstallView } from './install.ts';

const LINE_EVERY_SHARE = 0.1;
const LINE_EVERY_BYTES = 50_000_000;

export interface OneView extends InstallView {
  /** Ends the bar. */
  readonly end: () => void;
}

/** A bar for whoever watches, lines for a file. */
export function createInstallView(
  name: string,
  { isLive, say }: { isLive: boolean; say: (line: string) => void },
): OneView {
  return isLive ? bar(name, say) : lines(name, say);
}

function bar(name: string, say: (line: string) => void): OneView {
  const single = new SingleBar({
    format: `  ${name}  {bar} {percentage} %  {what}`,
    ...{ barsize: 30, barCompleteChar: '█', barIncompleteChar: '░', hideCursor: true, fps: 10 },
  });
  let isShown = false;
  const show = (share: number, what: string): void => {
    if (!isShown) single.start(100, 0, { what });
    isShown = true;
    single.update(Math.floor(share * 100), { what });
  };
  const end = (): void => {
    if (isShown) single.stop();
    isShown = false;
  };
  return {
    say: (line) => {
      end();
      say(line);
    },
    downloaded: (done, whole) =>
      show(
        whole === undefined ? 0 : done / whole,
        `${megabytes(done)}${whole === undefined ? '' : ` of ${megabytes(whole)}`}`,
      ),
    unpacked: (share) => show(share, 'unpacking'),
    end,
  };
}

function lines(name: string, say: (line: string) => void): OneView {
  let told = '';
  const step = (key: string, line: string): void => {
    if (key === told) return;
    told = key;
    say(`${name}: ${line}`);
  };
  return {
    say,
    downloaded: (done, whole) => {
      const at = whole === undefined ? done / LINE_EVERY_BYTES : done / whole / LINE_EVERY_SHARE;
      const of = whole === undefined ? '' : ` of ${megabytes(whole)}`;
      step(`d${Math.floor(at)}`, `fetched ${megabytes(done)}${of}`);
    },
    unpacked: (share) => {
      const tenth = Math.floor(share / LINE_EVERY_SHARE);
      step(`u${tenth}`, `unpacked ${tenth * 10} %`);
    },
    end: () => undefined,
  };
}

import { startProgram, type Start } from '../../../runtime/subprocess/run-program.ts';
import { serveTestPage } from '../yt-dlp/yt-dlp-test-page.ts';
import { readPythonProgram } from './python-program.ts';
import { environmentOf, linkNeeded } from '../yt-dlp/run-yt-dlp.ts';
import { startWarmParent, type WarmParent } from './warm-parent.ts';
import { channelUrl, videoUrl, type YtdlpSettings } from '../yt-dlp/yt-dlp-settings.ts';

export interface WarmYtdlpOptions {
  /** Called when a parent is ready, or with the reason why there is none, so that each call starts the program. */
  readonly onStateChange?: (failure?: Error) => void;
  /** A parent is replaced after this number of calls, or at this age. */
  readonly maxCalls?: number;
  readonly maxAgeMs?: number;
  /** The pause after a parent has failed. */
  readonly retryAfterMs?: number;
}

export type WarmYtdlp = ReturnType<typeof createWarmYtdlp>;

const ANY_ID = 'aaaaaaaaaaa';

/**
 * Keeps a parent process that has loaded yt-dlp and forks for each call. While there is none, calls start the program. A call
 * of another program replaces the parent.
 */
export function createWarmYtdlp(
  settings: YtdlpSettings,
  { onStateChange, maxCalls = 1_000, maxAgeMs = 3_600_000, retryAfterMs = 60_000 }: WarmYtdlpOptions = {},
) {
  let { program } = settings;
  let current: WarmParent | undefined;
  const retired = new Set<WarmParent>();
  let starting: Promise<void> | undefined;
  let failure: Error | undefined;
  let notBeforeMs = 0;
  const closing = new AbortController();

  const retire = (): void => {
    if (current === undefined) return;
    const parent = current;
    current = undefined;
    parent.retire();
    retired.add(parent);
    void parent.gone.then(() => retired.delete(parent));
  };
  const begin = async (): Promise<void> => {
    try {
      const loaded = program;
      const parent = await startFor({ ...settings, program: loaded }, closing.signal);
      if (loaded !== program) {
        await parent.close();
        return;
      }
      retire();
      current = parent;
      failure = undefined;
      onStateChange?.();
    } catch (error) {
      const before = failure?.message;
      failure = error instanceof Error ? error : new Error(String(error));
      notBeforeMs = performance.now() + retryAfterMs;
      // The same failure is reported only once.
      if (failure.message !== before && !closing.signal.aborted) onStateChange?.(failure);
    }
  };
  const renew = (): void => {
    if (closing.signal.aborted || performance.now() < notBeforeMs) return;
    starting ??= begin().finally(() => (starting = undefined));
  };
  const forget = (): void => {
    if (current === undefined || current.isOpen()) return;
    notBeforeMs = current.readyAtMs + retryAfterMs;
    failure = new Error(current.end());
    current = undefined;
  };
  const whenReady = async (): Promise<WarmParent> => {
    forget();
    if (current === undefined) renew();
    await starting;
    if (current === undefined) throw failure ?? new Error('it was closed');
    return current;
  };
  renew();
  return {
    async startOf(requested: Pick<YtdlpSettings, 'program' | 'pluginDir'>) {
      // The parent has loaded one program with its plugins only.
      if (requested.pluginDir !== settings.pluginDir) return undefined;
      if (requested.program !== program) {
        ({ program } = requested);
        notBeforeMs = 0;
        retire();
      }
      forget();
      const seen = current;
      const isOutdated = await seen?.isOutdated();
      // It may have been replaced in the meantime.
      if (isOutdated === true && seen === current) retire();
      const parent = current;
      if (parent === undefined) {
        renew();
        return undefined;
      }
      if (parent.calls() >= maxCalls || performance.now() - parent.readyAtMs > maxAgeMs) renew();
      // It may have exited in the meantime.
      const start: Start = (program, args, options) =>
        parent.isOpen() ? parent.start(args, options) : startProgram(program, args, options);
      return { start, programs: parent.programs };
    },
    ready: async (): Promise<number> => (await whenReady()).pid,
    version: async (): Promise<string> => (await whenReady()).version,
    async close(): Promise<void> {
      closing.abort();
      await starting;
      retire();
      await Promise.all([...retired].map((parent) => parent.close()));
    },
  };
}

/** @throws when this yt-dlp cannot be preloaded */
async function startFor(settings: YtdlpSettings, signal: AbortSignal): Promise<WarmParent> {
  // Only Linux can end a process when its parent dies.
  if (process.platform !== 'linux') throw new Error('only Linux can keep it');
  const program = await readPythonProgram(settings.program);
  // The first run loads everything that a download uses.
  const page = await serveTestPage(settings);
  try {
    return await startWarmParent({
      program,
      signal,
      // Only calls get the proxy, which has a password for each call.
      env: async (home, programs) => {
        await linkNeeded(settings.program, programs);
        return environmentOf({ program: settings.program }, { home, programs });
      },
      args: page.args,
      urls: [videoUrl(settings, ANY_ID), channelUrl(settings, ['channel', ANY_ID])],
    });
  } finally {
    page.close();
  }
}

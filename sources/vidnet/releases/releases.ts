import { setTimeout as delay } from 'node:timers/promises';
import { datedVersion, type DatedVersion } from '../../../runtime/subprocess/dated-version.ts';
import type { WarmYtdlp } from '../warm/warm-yt-dlp.ts';
import type { YtdlpRelease, YtdlpSettings } from '../yt-dlp/yt-dlp-settings.ts';
import { installRelease, listWheels, programIn, UnusableReleaseError } from './install-release.ts';
import { chooseRelease, createReleaseFolder, PINNED, type FolderState } from './release-folder.ts';
import { compareVersions, isOfChannel, type YtdlpChannel } from './release-version.ts';

export type ReleaseEvent =
  | { readonly what: 'fetched' | 'switched'; readonly version: string }
  /** The release does not work here, and is not used. */
  | { readonly what: 'refused'; readonly version: string; readonly reason: string }
  /** Nothing has changed. The next check tries again. */
  | { readonly what: 'trouble'; readonly reason: string };

type WarmProgram = Pick<WarmYtdlp, 'startOf' | 'retire' | 'close'>;

export interface ReleasesOptions {
  readonly channel: Exclude<YtdlpChannel, 'pinned'>;
  /** The folder of installed releases, which is created if it does not exist. */
  readonly folder: string;
  /** Base URL of an index of Python packages, such as `https://pypi.org/simple`. */
  readonly indexUrl: string;
  /** The settings of the pinned yt-dlp. */
  readonly settings: YtdlpSettings;
  readonly pinnedVersion: string;
  readonly onEvent: (event: ReleaseEvent) => void;
  /** Preloads a program. Without it, each call starts the program. */
  readonly keepWarm?: (settings: YtdlpSettings) => WarmProgram;
}

export type Releases = ReturnType<typeof createReleases>;

/** Installs and chooses releases of yt-dlp that are newer than the pinned one. */
export function createReleases(options: ReleasesOptions) {
  const { channel, indexUrl, settings, pinnedVersion, onEvent, keepWarm } = options;
  const folder = createReleaseFolder(options.folder);
  const closing = new AbortController();
  const retiring = new Set<WarmProgram>();
  let used: { readonly name: string; readonly warm: WarmProgram | undefined } | undefined;
  let reading: Promise<FolderState> | undefined;

  const reportTrouble = (error: unknown): void =>
    onEvent({ what: 'trouble', reason: error instanceof Error ? error.message : String(error) });
  const programOf = (name: string): string => (name === PINNED ? settings.program : programIn(folder.pathOf(name)));
  const versionOf = (name: string): string => (name === PINNED ? pinnedVersion : name);
  const isNewer = ({ version }: { readonly version: string }): boolean =>
    isOfChannel(version, channel) && compareVersions(version, pinnedVersion) > 0;

  const switchTo = (name: string): void => {
    if (closing.signal.aborted || used?.name === name) return;
    if (used !== undefined || name !== PINNED) onEvent({ what: 'switched', version: versionOf(name) });
    const before = used?.warm;
    if (before !== undefined) {
      retiring.add(before);
      void before.retire().finally(() => retiring.delete(before));
    }
    used = { name, warm: keepWarm?.({ ...settings, program: programOf(name) }) };
  };
  /** Reads the choice for each run, because another process may have changed the folder. */
  const choose = async (): Promise<string> => {
    // Calls share a read, so an outdated state cannot arrive after a newer one.
    reading ??= folder.read().finally(() => (reading = undefined));
    const name = chooseRelease(await reading, { pinned: pinnedVersion, channel });
    switchTo(name);
    return name;
  };
  /**
   * Installs a release, by default the newest of the channel, unless it is installed or was refused.
   *
   * @returns its version; undefined when the index has no such release
   */
  const install = async (signal: AbortSignal, requested?: string): Promise<string | undefined> => {
    const [wheel] = (await listWheels(indexUrl, 'yt-dlp', signal))
      .filter((one) => (requested === undefined ? isNewer(one) : one.version === requested))
      .sort((one, other) => compareVersions(other.version, one.version));
    if (wheel === undefined) return undefined;
    const { version } = wheel;
    const { installed, refused } = await folder.read();
    if (installed.includes(version) || (requested === undefined && refused.includes(version))) return version;
    try {
      await installRelease(wheel, { folder: folder.pathOf(version), indexUrl, settings, signal });
    } catch (error) {
      if (error instanceof UnusableReleaseError) {
        await folder.refuse(version, error.message);
        onEvent({ what: 'refused', version, reason: error.message });
      }
      throw error;
    }
    onEvent({ what: 'fetched', version });
    return version;
  };
  return {
    folder,
    choose,
    install,
    /** Picks the release of a run. A folder that cannot be read must not fail a job. */
    async pick(): Promise<YtdlpRelease> {
      const name = await choose().catch((error: unknown) => {
        reportTrouble(error);
        return PINNED;
      });
      return { program: programOf(name), starter: used?.warm };
    },
    /** @throws when the folder cannot be read */
    current: async (): Promise<DatedVersion> => datedVersion(versionOf(await choose()), Date.now()),
    /** Checks for newer releases until `close` is called. */
    async keepUpdating({ firstMs, everyMs }: { readonly firstMs: number; readonly everyMs: number }): Promise<void> {
      const { signal } = closing;
      for (let waitMs = firstMs; ; waitMs = everyMs) {
        try {
          // The jitter spreads the requests of workers that were started together.
          await delay(waitMs * (0.75 + Math.random() / 2), undefined, { signal, ref: false });
          await install(signal);
          await folder.removeOld(await choose());
        } catch (error) {
          if (signal.aborted) return;
          reportTrouble(error);
        }
      }
    },
    /** Ends the preloaded programs with their calls. */
    async close(): Promise<void> {
      closing.abort(new Error('closed'));
      const warm = used?.warm;
      await Promise.all([...retiring, ...(warm === undefined ? [] : [warm])].map((one) => one.close()));
    },
  };
}

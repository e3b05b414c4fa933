import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { orMissing } from '../../../store/files/or-missing.ts';
import { installRelease, listWheels, programIn, UnusableReleaseError, type InstallOptions } from './install-release.ts';
import { compareVersions, isOfChannel, isRelease, type YtdlpChannel } from './release-version.ts';

/** Calls are shorter than a day, so an older release that was replaced twice is not in use. */
const REMOVED_AFTER_MS = 24 * 3_600_000;
const REFUSED = '.refused';

/** After `refused` the release is not used, because it does not work here. After `trouble` the next check tries again. */
export interface ReleaseEvent {
  readonly what: 'fetched' | 'switched' | 'refused' | 'trouble';
  readonly version?: string;
  readonly reason?: string;
}

export interface ReleasesOptions extends InstallOptions {
  readonly channel: YtdlpChannel;
  /** Each release is in a subfolder named after its version. A file beside it says why a release is refused. */
  readonly folder: string;
  readonly pinnedVersion: string;
  readonly onEvent: (event: ReleaseEvent) => void;
}

/** Installs and chooses releases of yt-dlp that are newer than the pinned one. */
export function createReleases({ channel, folder, indexUrl, settings, ...options }: ReleasesOptions) {
  const { pinnedVersion, onEvent, signal } = options;
  const pinned = { version: pinnedVersion, program: settings.program };
  let usedVersion = pinnedVersion;
  let reading: ReturnType<typeof read> | undefined;

  const entries = async (): Promise<readonly string[]> => (await readdir(folder).catch(orMissing)) ?? [];
  const isNewer = (version: string): boolean =>
    isOfChannel(version, channel) && compareVersions(version, pinnedVersion) > 0;
  /** Lists the installed releases, the newest first, and all refused ones. */
  const read = async () => {
    const names = await entries();
    return {
      installed: names.filter(isRelease).sort((one, other) => compareVersions(other, one)),
      refused: names.filter((name) => name.endsWith(REFUSED)).map((name) => name.slice(0, -REFUSED.length)),
    };
  };
  const refuse = (version: string, reason: string): Promise<void> =>
    writeFile(join(folder, version + REFUSED), `${reason}\n`);
  const reportTrouble = (error: unknown): void =>
    onEvent({ what: 'trouble', reason: error instanceof Error ? error.message : String(error) });
  /** Chooses the release of a run. It reads the folder each time, because another process may have changed it. */
  const choose = async () => {
    // Calls share a read, so an outdated state cannot arrive after a newer one.
    reading ??= read().finally(() => (reading = undefined));
    const { installed, refused } = await reading;
    const version = installed.find((one) => isNewer(one) && !refused.includes(one));
    const chosen = version === undefined ? pinned : { version, program: programIn(join(folder, version)) };
    if (chosen.version !== usedVersion) onEvent({ what: 'switched', version: chosen.version });
    usedVersion = chosen.version;
    return chosen;
  };
  /** Installs the newest release, unless it is installed or was refused. @returns its version, if there is one */
  const install = async (): Promise<string | undefined> => {
    const [wheel] = (await listWheels(indexUrl, 'yt-dlp', signal))
      .filter(({ version }) => isNewer(version))
      .sort((one, other) => compareVersions(other.version, one.version));
    if (wheel === undefined) return undefined;
    const { version } = wheel;
    const { installed, refused } = await read();
    if (installed.includes(version) || refused.includes(version)) return version;
    try {
      await installRelease(wheel, join(folder, version), { indexUrl, settings, signal });
    } catch (error) {
      if (error instanceof UnusableReleaseError) {
        await refuse(version, error.message);
        onEvent({ what: 'refused', version, reason: error.message });
      }
      throw error;
    }
    onEvent({ what: 'fetched', version });
    return version;
  };
  /** Removes old releases, except the newest two and the current one, and what killed installations have left. */
  const removeOld = async (): Promise<void> => {
    const kept = [...(await read()).installed.slice(0, 2), (await choose()).version];
    for (const name of await entries()) {
      if (kept.includes(name) || !(isRelease(name) || name.endsWith('.tmp'))) continue;
      const { mtimeMs } = await stat(join(folder, name));
      if (Date.now() - mtimeMs > REMOVED_AFTER_MS) await rm(join(folder, name), { recursive: true, force: true });
    }
  };
  return {
    ...{ read, refuse, choose, install, removeOld },
    reasonOf: async (version: string): Promise<string> =>
      (await readFile(join(folder, version + REFUSED), 'utf8')).trim(),
    /** Chooses as `choose` does. A folder that cannot be read must not fail a job. */
    chooseOrPinned: () =>
      choose().catch((error: unknown) => {
        reportTrouble(error);
        return pinned;
      }),
    /** Checks for newer releases until the signal is aborted. */
    keepUpdating: async ({ firstMs, everyMs }: { readonly firstMs: number; readonly everyMs: number }) => {
      for (let waitMs = firstMs; ; waitMs = everyMs) {
        // The jitter spreads the requests of workers that were started together.
        await delay(waitMs * (0.75 + Math.random() / 2), undefined, { signal, ref: false }).catch(() => undefined);
        if (signal.aborted) return;
        try {
          await install();
          await removeOld();
        } catch (error) {
          reportTrouble(error);
        }
      }
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { datedVersion, type DatedVersion } from '../../../runtime/subprocess/dated-version.ts';
import type { WarmYtdlp } from '../warm/warm-yt-dlp.ts';
import type { PickedRelease, YtdlpRelease, YtdlpReleases, YtdlpSettings } from '../yt-dlp/yt-dlp-settings.ts';
import { installRelease, programIn, UnusableReleaseError } from './install-release.ts';
import { listWheels, type Wheel } from './package-index.ts';
import { chooseRelease, createReleaseFolder, type Choice, type FolderState } from './release-folder.ts';
import { compareVersions, isOfChannel, type YtdlpChannel } from './release-version.ts';

const PACKAGE = 'yt-dlp';

/** `refused`: it does not work, or a page that it can't read is read by the one before. */
export type ReleaseEvent =
  | { readonly what: 'fetched' | 'switched'; readonly version: string }
  | { readonly what: 'refused'; readonly version: string; readonly reason: string }
  /** Nothing has changed; it is tried again. */
  | { readonly what: 'trouble'; readonly reason: string };

export interface ReleasesOptions {
  readonly channel: Exclude<YtdlpChannel, 'pinned'>;
  /** Where releases are kept; made when missing. */
  readonly folder: string;
  /** Base address of an index of Python packages. */
  readonly indexUrl: string;
  /** Of the yt-dlp that is there without us. */
  readonly settings: YtdlpSettings;
  /** What that one calls its version. */
  readonly pinnedVersion: string;
  readonly onEvent: (event: ReleaseEvent) => void;
  /** Keeps a program warm; without it, each call starts it. */
  readonly keepWarm?: (settings: YtdlpSettings) => Pick<WarmYtdlp, 'startOf' | 'retire' | 'close'>;
}

export type Releases = ReturnType<typeof createReleases>;

/** Finds, installs, tries, uses and refuses releases of yt-dlp that are newer than the pinned one. */
export function createReleases(options: ReleasesOptions) {
  const { channel, indexUrl, settings, pinnedVersion, onEvent: tell, keepWarm } = options;
  const folder = createReleaseFolder(options.folder);
  const closing = new AbortController();
  const choiceOf = (state: FolderState): Choice => chooseRelease(state, { pinned: pinnedVersion, channel });
  /** By program: the current one, and those that still have calls. */
  const warm = new Map<string, ReturnType<NonNullable<typeof keepWarm>>>();
  const programOf = (version: string | undefined): string =>
    version === undefined ? settings.program : programIn(folder.pathOf(version));
  const releaseOf = (version: string | undefined): YtdlpRelease => {
    const program = programOf(version);
    return { program, starter: warm.get(program) };
  };
  const keepOnlyWarm = (program: string): void => {
    for (const [other, one] of warm) {
      if (other === program) continue;
      warm.delete(other);
      leaving.add(one);
      void one.retire().finally(() => leaving.delete(one));
    }
    if (!warm.has(program) && keepWarm !== undefined) warm.set(program, keepWarm({ ...settings, program }));
  };
  const leaving = new Set<ReturnType<NonNullable<typeof keepWarm>>>();
  let known: { readonly version: string | undefined } | undefined;
  /** Switches to the chosen release. Another worker may have made the choice. */
  const follow = ({ current }: Choice): void => {
    if (known !== undefined && known.version === current) return;
    if (known !== undefined || current !== undefined) tell({ what: 'switched', version: current ?? pinnedVersion });
    known = { version: current };
    keepOnlyWarm(programOf(current));
  };
  let reads = 0;
  let newestRead = 0;
  const choose = async (): Promise<Choice> => {
    const read = (reads += 1);
    const choice = choiceOf(await folder.read());
    // A read that began earlier may end later with an outdated state.
    if (read > newestRead && !closing.signal.aborted) {
      newestRead = read;
      follow(choice);
    }
    return choice;
  };
  /** One call at a time tries a release that none has tried. */
  let isTrying = false;
  const refuse = async (version: string, reason: string): Promise<void> => {
    const { releases } = await folder.read();
    if (releases.some((one) => one.version === version && one.state === 'refused')) return;
    await folder.refuse(version, reason);
    tell({ what: 'refused', version, reason });
    await choose();
  };
  /** An error in the folder of releases must not fail a job. */
  const reportErrors = async (act: () => Promise<void>): Promise<void> => {
    await act().catch((error: unknown) => tell({ what: 'trouble', reason: messageOf(error) }));
  };
  const pick: YtdlpReleases['pick'] = async ({ isPage }): Promise<PickedRelease> => {
    const { current, older, candidate } = await choose().catch((error: unknown): Choice => {
      tell({ what: 'trouble', reason: messageOf(error) });
      return { current: undefined, older: undefined, candidate: undefined };
    });
    const isTrial = isPage && candidate !== undefined && !isTrying;
    if (isTrial) isTrying = true;
    const version = isTrial ? candidate : current;
    return {
      release: releaseOf(version),
      older: version === undefined ? undefined : releaseOf(isTrial ? current : older),
      worked: async () => {
        if (!isTrial) return;
        await reportErrors(async () => {
          await folder.approve(candidate);
          await choose();
        });
      },
      failed: (reason) => (version === undefined ? Promise.resolve() : reportErrors(() => refuse(version, reason))),
      done: () => {
        if (isTrial) isTrying = false;
      },
    };
  };

  /** @throws as `installRelease` */
  const install = async (wheel: Wheel, signal: AbortSignal): Promise<void> => {
    const { version } = wheel;
    try {
      await installRelease(wheel, { folder, indexUrl, settings, signal });
      tell({ what: 'fetched', version });
    } catch (error) {
      if (error instanceof UnusableReleaseError) await refuse(version, error.message);
      throw error;
    }
  };
  const newest = (wheels: readonly Wheel[]): Wheel | undefined =>
    wheels
      .filter(({ version }) => isOfChannel(version, channel) && compareVersions(version, pinnedVersion) > 0)
      .sort((one, other) => compareVersions(other.version, one.version))[0];
  const update = async (signal: AbortSignal): Promise<string | undefined> => {
    const wheel = newest(await listWheels(indexUrl, PACKAGE, signal));
    const { releases, refused } = await folder.read();
    const isKnown =
      wheel === undefined ||
      refused.includes(wheel.version) ||
      releases.some(({ version }) => version === wheel.version);
    if (!isKnown) await install(wheel, signal);
    return wheel?.version;
  };
  return {
    folder,
    pick,
    choose,
    /** @returns the release in use, or the pinned one. @throws when the folder can't be read */
    current: async (): Promise<DatedVersion> => datedVersion((await choose()).current ?? pinnedVersion, Date.now()),
    /** Fetches the newest release of the channel, unless it is there or refused. @returns its version, if it is newer than the pinned */
    update,
    /** Fetches a release. @throws when the index has none of that name */
    async fetch(version: string, signal: AbortSignal): Promise<void> {
      const wheel = (await listWheels(indexUrl, PACKAGE, signal)).find((one) => one.version === version);
      if (wheel === undefined) throw new Error(`${indexUrl} has no yt-dlp ${version} that can be used`);
      await install(wheel, signal);
    },
    /** Checks for newer releases until `close` is called. A failure is reported, and the next check runs as usual. */
    async keepUpdating({ firstMs, everyMs }: { readonly firstMs: number; readonly everyMs: number }): Promise<void> {
      const { signal } = closing;
      for (let waitMs = firstMs; ; waitMs = everyMs) {
        // The jitter spreads the requests of workers that were started together.
        const isOver = await delay(waitMs * (0.75 + Math.random() / 2), false, { signal, ref: false }).catch(
          () => true,
        );
        if (isOver) return;
        try {
          await update(signal);
          const { current, older, candidate } = await choose();
          if (current !== undefined) await folder.touch(current);
          const used = [current, older, candidate].flatMap((version) => version ?? []);
          await folder.tidy(used, Date.now());
        } catch (error) {
          if (!signal.aborted) tell({ what: 'trouble', reason: messageOf(error) });
        }
      }
    },
    /** Ends what it keeps warm, with its calls. */
    async close(): Promise<void> {
      closing.abort(new Error('closed'));
      await Promise.all([...warm.values(), ...leaving].map((one) => one.close()));
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

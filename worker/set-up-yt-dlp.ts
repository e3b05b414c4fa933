import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { PROXY_LIMITS, startForwardProxy } from '../outbound/forward-proxy.ts';
import { datedVersion, YTDLP_OLD_AFTER_DAYS, type DatedVersion } from '../runtime/subprocess/dated-version.ts';
import { ytdlpReleases } from '../runtime/telemetry/diagnostics.ts';
import { createReleases, type ReleaseEvent } from '../sources/vidnet/releases/releases.ts';
import { readPythonProgram } from '../sources/vidnet/warm/python-program.ts';
import { createWarmYtdlp } from '../sources/vidnet/warm/warm-yt-dlp.ts';
import { ytdlpSettingsOf, type YtdlpSettings } from '../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { readYtdlpVersion } from '../sources/vidnet/yt-dlp/yt-dlp-version.ts';
import { createYtdlpInUse } from '../store/records/ytdlp-in-use.ts';

/** The first check is early, because an operator may have started the worker to get a newer release. */
const RELEASE_CHECKS = { firstMs: 20_000, everyMs: 6 * 3_600_000 };

/** Prepares yt-dlp for a worker. A worker whose roles do not use it starts nothing and has no version. */
export async function setUpYtdlp(config: Config, { db, log }: { readonly db: Db; readonly log: Logger }) {
  const nothing = (): Promise<void> => Promise.resolve();
  if (!config.WORKER_ROLES.some((role) => role === 'vidnet' || role === 'media'))
    return { settings: ytdlpSettingsOf(config), version: undefined, check: nothing, close: nothing };
  const guard = await startForwardProxy({ ...PROXY_LIMITS, allowedNetworks: config.MEDIA_ALLOWED_NETWORKS });
  const inUse = createYtdlpInUse(db);
  const onUse = (version: string): void => {
    inUse
      .keep(version)
      .catch((error: unknown) => log.warn({ err: error }, 'the version of yt-dlp could not be stored for the api'));
  };
  const { settings, version, close } = await start(config, { ...ytdlpSettingsOf(config), guard }, { log, onUse });
  return {
    settings,
    version,
    /** Logs the version and its age. @throws JobError `tool_missing` */
    async check(): Promise<void> {
      const found = await version();
      const isOld = (found.ageDays ?? 0) >= YTDLP_OLD_AFTER_DAYS;
      log[isOld ? 'warn' : 'info'](found, isOld ? 'yt-dlp is old: platforms change within weeks' : 'yt-dlp');
    },
    async close(): Promise<void> {
      await close();
      await guard.close();
    },
  };
}

interface StartOptions {
  readonly log: Logger;
  /** Called with the version that new jobs use, at the start and after each change. */
  readonly onUse: (version: string) => void;
}

/** @returns also the version that new jobs use. It throws JobError `tool_missing` when yt-dlp cannot be started. */
async function start(config: Config, cold: YtdlpSettings, { log, onUse }: StartOptions) {
  const { YTDLP_CHANNEL: channel } = config;
  const onStateChange = (failure?: Error): void =>
    failure === undefined
      ? log.info('yt-dlp is preloaded')
      : log.warn({ err: failure }, 'yt-dlp is not preloaded: each call starts it, which takes longer');
  if (channel === 'pinned') {
    const starter = createWarmYtdlp(cold, { onStateChange });
    let known: Promise<DatedVersion> | undefined;
    const version = async (): Promise<DatedVersion> => {
      known ??= readYtdlpVersion(cold.program, starter).then((found) => {
        onUse(found.version);
        return found;
      });
      return datedVersion((await known).version, Date.now());
    };
    return { settings: { ...cold, starter }, version, close: () => starter.close() };
  }
  await readPythonProgram(cold.program).catch((cause: unknown) => {
    throw new Error(`YTDLP_CHANNEL=${channel}: YTDLP_PATH must name a yt-dlp that is written in Python`, { cause });
  });
  const closing = new AbortController();
  const { choose, chooseOrPinned, keepUpdating } = createReleases({
    ...{ channel, folder: config.ytdlpDir, indexUrl: config.YTDLP_INDEX_URL, settings: cold, signal: closing.signal },
    pinnedVersion: (await readYtdlpVersion(cold.program)).version,
    onEvent: ({ what, ...details }) => {
      ytdlpReleases.publish({ what });
      const [level, message] = EVENT_LOGS[what];
      log[level](details, message);
      if (what === 'switched' && details.version !== undefined) onUse(details.version);
    },
  });
  const { program, version: current } = await choose();
  onUse(current);
  const starter = createWarmYtdlp({ ...cold, program }, { onStateChange });
  void keepUpdating(RELEASE_CHECKS);
  return {
    settings: { ...cold, starter, chooseProgram: chooseOrPinned },
    version: async (): Promise<DatedVersion> => datedVersion((await choose()).version, Date.now()),
    close: () => {
      closing.abort();
      return starter.close();
    },
  };
}

const EVENT_LOGS: Readonly<Record<ReleaseEvent['what'], readonly ['info' | 'warn', string]>> = {
  fetched: ['info', 'a newer yt-dlp was installed'],
  switched: ['info', 'new jobs use this yt-dlp'],
  refused: ['warn', 'this yt-dlp does not work here and is not used'],
  trouble: ['warn', 'no newer yt-dlp could be installed: the one in use stays'],
};

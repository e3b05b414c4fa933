import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { PROXY_LIMITS, startForwardProxy } from '../outbound/forward-proxy.ts';
import { datedVersion, YTDLP_OLD_AFTER_DAYS, type DatedVersion } from '../runtime/subprocess/dated-version.ts';
import { ytdlpReleases } from '../runtime/telemetry/diagnostics.ts';
import { readPythonProgram } from '../sources/vidnet/warm/python-program.ts';
import { createReleases, type ReleaseEvent } from '../sources/vidnet/releases/releases.ts';
import { createWarmYtdlp, type WarmYtdlp } from '../sources/vidnet/warm/warm-yt-dlp.ts';
import { ytdlpSettingsOf, type YtdlpSettings } from '../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { readYtdlpVersion } from '../sources/vidnet/yt-dlp/yt-dlp-version.ts';
import { createYtdlpInUse } from '../store/records/ytdlp-in-use.ts';

/** Soon, since a start may be for want of a newer one; then a few times a day. */
const LOOKS = { firstMs: 20_000, everyMs: 6 * 3_600_000 };

/** yt-dlp as a worker has it. One whose roles need none starts nothing for it, asks for no program, and has no version. */
export async function setUpYtdlp(config: Config, { db, log }: { readonly db: Db; readonly log: Logger }) {
  const isUsed = config.WORKER_ROLES.some((role) => role === 'vidnet' || role === 'media');
  const guard = isUsed
    ? await startForwardProxy({ ...PROXY_LIMITS, allowedNetworks: config.mediaAllowedNetworks })
    : undefined;
  const cold: YtdlpSettings = { ...ytdlpSettingsOf(config), guard };
  if (!isUsed)
    return { settings: cold, version: undefined, check: () => Promise.resolve(), close: () => Promise.resolve() };
  const inUse = createYtdlpInUse(db);
  const onUse = (version: string): void => {
    inUse
      .keep(version)
      .catch((error: unknown) => log.warn({ err: error }, 'the api was not told the version of yt-dlp'));
  };
  const kept = await start(config, cold, { log, onUse });
  return {
    settings: kept.settings,
    version: kept.version,
    /** Looks whether it works, and how old it is. Meanwhile it warms up. @throws JobError `tool_missing` */
    async check(): Promise<void> {
      const version = await kept.version();
      const isOld = (version.ageDays ?? 0) >= YTDLP_OLD_AFTER_DAYS;
      log[isOld ? 'warn' : 'info'](version, isOld ? 'yt-dlp is old: platforms change within weeks' : 'yt-dlp');
    },
    async close(): Promise<void> {
      await kept.close();
      await guard?.close();
    },
  };
}

interface Kept {
  readonly settings: YtdlpSettings;
  /** Which one new jobs use. @throws JobError `tool_missing` when it cannot be started */
  readonly version: () => Promise<DatedVersion>;
  readonly close: () => Promise<void>;
}

interface Told {
  readonly log: Logger;
  /** Called with the version that new jobs use: at first, and when it is another one. */
  readonly onUse: (version: string) => void;
}

/** Kept warm, and kept new where the settings say so. @throws when that cannot be done here */
async function start(config: Config, cold: YtdlpSettings, told: Told): Promise<Kept> {
  const { log, onUse } = told;
  const { YTDLP_CHANNEL: channel } = config;
  const keepWarm = (settings: YtdlpSettings): WarmYtdlp =>
    createWarmYtdlp(settings, {
      onStateChange: (failure) =>
        failure === undefined
          ? log.info('yt-dlp is kept warm')
          : log.warn({ err: failure }, 'yt-dlp is not kept warm: each call starts it anew, which takes longer'),
    });
  if (channel === 'pinned') {
    const warm = keepWarm(cold);
    const read = async (): Promise<DatedVersion> => {
      const found = await readYtdlpVersion(cold.program, warm);
      onUse(found.version);
      return found;
    };
    let known: Promise<DatedVersion> | undefined;
    const version = async (): Promise<DatedVersion> => {
      known ??= read();
      return datedVersion((await known).version, Date.now());
    };
    return {
      settings: { ...cold, starter: warm },
      version,
      close: () => warm.close(),
    };
  }
  await readPythonProgram(cold.program).catch((cause: unknown) => {
    throw new Error(`YTDLP_CHANNEL=${channel}: YTDLP_PATH must name a yt-dlp that is written in Python`, { cause });
  });
  const releases = createReleases({
    ...{ channel, folder: config.ytdlpDir, indexUrl: config.YTDLP_INDEX_URL, settings: cold, keepWarm },
    pinnedVersion: (await readYtdlpVersion(cold.program)).version,
    onEvent: (event) => {
      ytdlpReleases.tell(() => ({ what: event.what }));
      logEvent(log, event);
      if (event.what === 'switched') onUse(event.version);
    },
  });
  onUse((await releases.current()).version);
  void releases.keepUpdating(LOOKS);
  return { settings: { ...cold, releases }, version: () => releases.current(), close: () => releases.close() };
}

function logEvent(log: Logger, event: ReleaseEvent): void {
  switch (event.what) {
    case 'fetched':
      log.info({ version: event.version }, 'a newer yt-dlp was fetched: the next job tries it');
      break;
    case 'switched':
      log.info({ version: event.version }, 'this yt-dlp is used from now on');
      break;
    case 'refused':
      log.warn({ version: event.version, reason: event.reason }, 'this yt-dlp is worse than the one before: not used');
      break;
    case 'trouble':
      log.warn({ reason: event.reason }, 'yt-dlp stays as it is: a newer one could not be had');
  }
}

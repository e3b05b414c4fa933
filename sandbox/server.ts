import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { readCatalogueFolder } from './catalogue-folder.ts';
import type { Catalogue, CatalogueVideo } from './catalogue.ts';
import { namingOf } from './ids.ts';
import { readMediaFolder } from './media-folder.ts';
import { createSwitchboard } from './misbehaviour.ts';
import { createRoutes } from './routes.ts';
import { createStats } from './stats.ts';

const HOST = '127.0.0.1';
const PLUGIN_DIR = fileURLToPath(new URL('./yt-dlp-plugins', import.meta.url));

/** The catalogue that comes with the project. */
export const BUILT_IN_CATALOGUE = fileURLToPath(new URL('./catalogue', import.meta.url));

export interface SandboxOptions {
  /** Folder with a catalogue.json; see catalogue/README.md. */
  readonly catalogueDir: string;
  /** A folder of recordings, or one recording, to add as ordinary videos. */
  readonly mediaDir?: string | undefined;
  /** Made when missing; what is derived from media is kept there. */
  readonly cacheDir: string;
  /** 0: a free one. */
  readonly port: number;
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** Gives every id another value, so that sandboxes beside each other share none. */
  readonly idSalt?: string | undefined;
  readonly log: (line: string) => void;
}

export interface Sandbox {
  /** http://127.0.0.1:PORT, without a slash at the end. */
  readonly url: string;
  /** Settings that point the service at this sandbox. */
  readonly env: Readonly<{ VIDNET_VIDEO_URL: string; YTDLP_PLUGIN_DIR: string }>;
  readonly catalogue: readonly CatalogueVideo[];
  /** Ends running transfers too. */
  stop(): Promise<void>;
}

/**
 * Starts a stand-in for the video platform on loopback.
 *
 * @throws CatalogueError, an Error that names `--media`, or the system's error for a port that is taken
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { ffmpeg, ffprobe, cacheDir, log } = options;
  await mkdir(cacheDir, { recursive: true });
  const naming = namingOf(options.idSalt);
  const settings = { ffmpeg, ffprobe, cacheDir, naming, log };
  const builtIn = await readCatalogueFolder(options.catalogueDir, settings);
  const added = options.mediaDir === undefined ? undefined : await readMediaFolder(options.mediaDir, settings);
  const catalogue: Catalogue = {
    videos: [...builtIn.videos, ...(added?.videos ?? [])],
    channels: [...builtIn.channels, ...(added?.channels ?? [])],
  };
  const ids = catalogue.videos.map((video) => video.id);

  let url = '';
  const routes = createRoutes({
    catalogue,
    switchboard: createSwitchboard((id) => ids.includes(id)),
    stats: createStats(ids),
    baseUrl: () => url,
  });
  const server = createServer((req, res) => {
    // A client that leaves in the middle is nothing to report.
    res.on('error', () => undefined);
    routes(req, res).catch((error: unknown) => {
      log(`sandbox: ${req.method ?? ''} ${req.url ?? ''}: ${String(error)}`);
      res.destroy();
    });
  });
  url = `http://${HOST}:${String(await listen(server, options.port))}`;
  return {
    url,
    env: { VIDNET_VIDEO_URL: `${url}/watch?v={id}`, YTDLP_PLUGIN_DIR: PLUGIN_DIR },
    catalogue: catalogue.videos,
    stop: () => close(server),
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

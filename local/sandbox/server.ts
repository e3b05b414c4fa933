import { mkdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { isLoopbackName } from '../../api/access/origin-guard.ts';
import { foreignPage } from '../engines/foreign-page.ts';
import { serveOnLoopback } from '../loopback-server.ts';
import { readCatalogueFolder } from './catalogue-folder.ts';
import type { Catalogue } from './catalogue.ts';
import { createControl, type SandboxParts } from './control-routes.ts';
import { createDataApi, SANDBOX_API_KEY } from './data-api/handler.ts';
import { createDatasetApi, type DatasetApiParts } from './dataset-api/dataset-api.ts';
import { namingOf } from './ids.ts';
import { refusal, send, type Exchange } from './json-http.ts';
import { createLibrary } from './library.ts';
import { readMediaFolder } from './media-folder.ts';
import { Switchboard } from './switches.ts';
import { createStats } from './stats.ts';
import { createVideoRoutes } from './video-routes.ts';

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
  /** Address of a proxy in front of it, without a slash at the end: what it links to, and what the service is pointed at. */
  readonly publicUrl?: string | undefined;
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** Gives every id another value, so that sandboxes beside each other share none. */
  readonly idSalt?: string | undefined;
  /** Accounts of the photo platform beside one of each case; 0. */
  readonly furtherAccounts?: number | undefined;
  /** How long a snapshot of the photo platform takes. */
  readonly snapshots?: Pick<DatasetApiParts, 'collectMs' | 'buildMs'> | undefined;
  /** Hand the service a key of the Data API; true. Without one it reads everything with yt-dlp. */
  readonly dataApi?: boolean | undefined;
  readonly log: (line: string) => void;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Starts a stand-in for the video platform on loopback.
 *
 * @throws CatalogueError, an Error that names `--media`, or the system's error for a port that is taken
 */
export async function startSandbox(options: SandboxOptions) {
  const { ffmpeg, ffprobe, cacheDir, log } = options;
  await mkdir(cacheDir, { recursive: true });
  const naming = namingOf(options.idSalt);
  const settings = { ffmpeg, ffprobe, cacheDir, naming, log };
  const builtIn = await readCatalogueFolder(options.catalogueDir, settings);
  const added = options.mediaDir === undefined ? undefined : await readMediaFolder(options.mediaDir, settings);
  const catalogue: Catalogue = {
    videos: [...builtIn.videos, ...(added?.videos ?? [])],
    channels: [...builtIn.channels, ...(added?.channels ?? [])],
    generatedVideos: builtIn.generatedVideos,
  };
  const library = createLibrary(catalogue);
  const isVideo = (id: string): boolean => library.video(id) !== undefined;

  let publicUrl = '';
  const baseUrl = (): string => publicUrl;
  const { idSalt, furtherAccounts, snapshots } = options;
  const dataset = createDatasetApi({ baseUrl, ffmpeg, cacheDir, idSalt, furtherAccounts, ...snapshots });
  const routes = createRoutes({
    library,
    switchboard: new Switchboard(isVideo),
    stats: createStats(catalogue.videos, isVideo),
    baseUrl,
    dataset,
  });
  const { url, stop } = await serveOnLoopback((req, res) => {
    // A client that leaves in the middle is nothing to report.
    res.on('error', () => undefined);
    routes(req, res).catch((error: unknown) => {
      log(`sandbox: ${req.method ?? ''} ${req.url ?? ''}: ${String(error)}`);
      res.destroy();
    });
  }, options.port);
  publicUrl = options.publicUrl ?? url;
  return {
    /** http://127.0.0.1:PORT, without a slash at the end. */
    url,
    /** Settings that point the service at this sandbox. */
    env: {
      VIDNET_VIDEO_URL: `${publicUrl}/watch?v={id}`,
      VIDNET_CHANNEL_URL: `${publicUrl}/{path}`,
      VIDNET_API_URL: `${publicUrl}/`,
      ...(options.dataApi === false ? {} : { VIDNET_API_KEY: SANDBOX_API_KEY }),
      YTDLP_PLUGIN_DIR: PLUGIN_DIR,
      // Its media are on loopback, where the service otherwise fetches nothing.
      MEDIA_ALLOWED_NETWORKS: '127.0.0.1/32',
      ...dataset.env(),
    },
    /** Without the generated videos. */
    catalogue: catalogue.videos,
    /** Ends running transfers too. */
    stop,
  };
}

/** Whether a page shows one of the pictures here, as the console does: that changes nothing, and tells that page nothing. */
function isShown({ method, url = '', headers: { host = '', ...headers } }: IncomingMessage): boolean {
  const isPicture = headers['sec-fetch-dest'] === 'image' && /^\/[^?]+\.png(?:\?|$)/.test(url);
  return method === 'GET' && isPicture && isLoopbackName(host);
}

/** Answers every request. No path from outside reaches the disk: only entries of the catalogue do. */
function createRoutes(parts: SandboxParts): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const dataApi = createDataApi(parts);
  const control = createControl(parts);
  const videos = createVideoRoutes(parts);
  const answer = async (exchange: Exchange): Promise<void> => {
    if (dataApi(exchange) || (await parts.dataset.handle(exchange.req, exchange.res, exchange.url))) return;
    const told = await control(exchange);
    if (told === undefined) await videos(exchange);
    else send(exchange.res, told, 2);
  };
  return async (req, res) => {
    const foreign = foreignPage(req);
    const path = req.url ?? '';
    // Joined and not resolved: `//x` would otherwise be the host x.
    const url = path.startsWith('/') ? URL.parse(`http://sandbox${path}`) : null;
    if (foreign !== undefined && !isShown(req)) send(res, refusal(403, foreign));
    else if (url === null) send(res, refusal(400, 'The URL cannot be read.'));
    else await answer({ req, res, url });
  };
}

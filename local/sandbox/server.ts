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

export const BUILT_IN_CATALOGUE = fileURLToPath(new URL('./catalogue', import.meta.url));

export interface SandboxOptions {
  readonly catalogueDir: string;
  /** A folder of recordings, or one recording, to add as ordinary videos. */
  readonly mediaDir?: string | undefined;
  readonly cacheDir: string;
  /** 0 for a free one. */
  readonly port: number;
  /** The address of a proxy in front of the sandbox, without a trailing slash, which is used in links and settings. */
  readonly publicUrl?: string | undefined;
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** Changes all IDs, so that several sandboxes share none. */
  readonly idSalt?: string | undefined;
  /** Accounts of the photo platform in addition to one of each case; default 0. */
  readonly furtherAccounts?: number | undefined;
  readonly snapshots?: Pick<DatasetApiParts, 'collectMs' | 'buildMs'> | undefined;
  /** Whether the service gets a key of the Data API; default true. Without it yt-dlp reads everything. */
  readonly dataApi?: boolean | undefined;
  readonly log: (line: string) => void;
}

export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Starts stand-ins for both platforms on loopback. @throws Error that names a file of the catalogue, `--media` or the port */
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
    playlists: builtIn.playlists,
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
    // Clients may leave at any time.
    res.on('error', () => undefined);
    routes(req, res).catch((error: unknown) => {
      log(`sandbox: ${req.method ?? ''} ${req.url ?? ''}: ${String(error)}`);
      res.destroy();
    });
  }, options.port);
  publicUrl = options.publicUrl ?? url;
  return {
    url,
    env: {
      VIDNET_VIDEO_URL: `${publicUrl}/watch?v={id}`,
      VIDNET_CHANNEL_URL: `${publicUrl}/{path}`,
      VIDNET_API_URL: `${publicUrl}/`,
      ...(options.dataApi === false ? {} : { VIDNET_API_KEY: SANDBOX_API_KEY }),
      YTDLP_PLUGIN_DIR: PLUGIN_DIR,
      // Without this setting, the service fetches nothing from loopback.
      MEDIA_ALLOWED_NETWORKS: '127.0.0.1/32',
      ...dataset.env(),
    },
    /** Without the generated videos. */
    catalogue: catalogue.videos,
    channels: catalogue.channels,
    playlists: catalogue.playlists,
    stop,
  };
}

/** Whether a page, such as the console, requests one of the pictures, which changes and reveals nothing. */
function isShown({ method, url = '', headers: { host = '', ...headers } }: IncomingMessage): boolean {
  const isPicture = headers['sec-fetch-dest'] === 'image' && /^\/[^?]+\.png(?:\?|$)/.test(url);
  return method === 'GET' && isPicture && isLoopbackName(host);
}

/** Answers every request. No path of a request reaches the disk: only entries of the catalogue do. */
function createRoutes(parts: SandboxParts): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const dataApi = createDataApi(parts);
  const control = createControl(parts);
  const videos = createVideoRoutes(parts);
  const respond = async (exchange: Exchange): Promise<void> => {
    if (dataApi(exchange) || (await parts.dataset.handle(exchange.req, exchange.res, exchange.url))) return;
    const answer = await control(exchange);
    if (answer === undefined) await videos(exchange);
    else send(exchange.res, answer, 2);
  };
  return async (req, res) => {
    const foreign = foreignPage(req);
    const path = req.url ?? '';
    // The path is appended instead of resolved, because `//x` would name the host x.
    const url = path.startsWith('/') ? URL.parse(`http://sandbox${path}`) : null;
    if (foreign !== undefined && !isShown(req)) send(res, refusal(403, foreign));
    else if (url === null) send(res, refusal(400, 'The URL cannot be read.'));
    else await respond({ req, res, url });
  };
}

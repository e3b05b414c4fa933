import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { baseArguments } from './run-yt-dlp.ts';
import { downloadArguments } from './yt-dlp-arguments.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

/** Serves a local page with a recording of 1,000 bytes. @returns the arguments of a run that downloads it */
export async function serveTestPage(settings: YtdlpSettings) {
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    response.setHeader('content-type', isPage ? 'text/html' : 'audio/mp4');
    response.end(isPage ? '<title>x</title><audio src="a.m4a"></audio>' : Buffer.alloc(1_000));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const download = downloadArguments(settings, { format: 'audio' });
  return {
    args: [...baseArguments(settings, undefined), ...download, '--', url],
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { serveOnLoopback } from '../loopback-server.ts';
import { foreignPage } from './foreign-page.ts';

const LOOPBACK = '127.0.0.1';
/** Headers about one connection. */
const HOP_BY_HOP_HEADERS = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade']);

/** @param uiPort the current port of the Web UI @returns a function that stops the proxy */
export async function startUiProxy(port: number, uiPort: () => number): Promise<() => Promise<void>> {
  const { stop } = await serveOnLoopback((req, res) => {
    const refusal = foreignPage(req);
    if (refusal === undefined) forward(req, res, uiPort());
    else answer(res, 403, refusal);
  }, port);
  return stop;
}

function forward(req: IncomingMessage, res: ServerResponse, uiPort: number): void {
  const headers = { ...withoutConnection(req.headers), host: `${LOOPBACK}:${String(uiPort)}` };
  // A connection that is kept open may lead to a server that has died meanwhile.
  const where = { host: LOOPBACK, port: uiPort, agent: false };
  const upstream = request({ ...where, method: req.method, path: req.url, headers });
  upstream.once('response', (response) => {
    res.writeHead(response.statusCode ?? 502, withoutConnection(response.headers));
    // When either side leaves, the other connection is closed.
    pipeline(response, res, () => undefined);
  });
  upstream.on('error', () => {
    if (res.headersSent) res.destroy();
    else answer(res, 502, 'The Web UI of Temporal does not answer.');
  });
  res.once('close', () => upstream.destroy());
  req.pipe(upstream);
}

function withoutConnection(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP_HEADERS.has(name)));
}

function answer(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`);
}

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fetchFile, UnreachableError } from '../../outbound/fetch-url.ts';

const BODY = Buffer.alloc(3_000_000, 'x');
const TIMES = 40;

/** Sends a piece of a longer file now and then. */
const trickle: RequestListener = (_request, response) => {
  response.writeHead(200, { 'content-length': BODY.length });
  const timer = setInterval(() => response.write('x'), 20);
  response.on('close', () => clearInterval(timer));
};

let folder: string;
let server: Server;
let url: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-fetch-'));
  server = createServer((_request, response) => {
    response.writeHead(200, { connection: 'close', 'content-length': BODY.length + 10 });
    response.write(BODY);
    setTimeout(() => response.destroy(), 5);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

it('fails the download, but not the process, when the host closes the connection in the middle of a file', async () => {
  // undici throws in a socket event if it is waiting for its reader at that moment, which would fail the run.
  for (let i = 0; i < TIMES; i += 1) {
    const file = join(folder, String(i));
    const options = { signal: new AbortController().signal, mostFailures: 1 };
    await expect(fetchFile(url, file, options)).rejects.toThrow(UnreachableError);
    const part = await readFile(`${file}.part`);
    expect(part.equals(BODY.subarray(0, part.length))).toBe(true);
  }
});

it('gives up on a host that sends a byte now and then after as many attempts as on a silent one', async () => {
  let requests = 0;
  server.removeAllListeners('request').on('request', (request, response) => {
    requests += 1;
    trickle(request, response);
  });
  const minimumRate = { bytes: 1_000, windowMs: 300 };
  const options = { signal: new AbortController().signal, mostFailures: 2, minimumRate };
  await expect(fetchFile(url, join(folder, 'slow'), options)).rejects.toThrow(UnreachableError);
  expect(requests).toBe(2);
});

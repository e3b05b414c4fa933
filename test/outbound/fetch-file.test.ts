import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fetchFile, UnreachableError } from '../../outbound/fetch-file.ts';

const BODY = Buffer.alloc(3_000_000, 'x');
const TIMES = 40;

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

it('a host that closes the connection in the middle of a file ends the download and not the process', async () => {
  // undici throws out of a socket's event when it waits for its reader at that moment: that would fail the run.
  for (let i = 0; i < TIMES; i += 1) {
    const file = join(folder, String(i));
    const options = { signal: new AbortController().signal, mostFailures: 1 };
    await expect(fetchFile(url, file, options)).rejects.toThrow(UnreachableError);
    const part = await readFile(`${file}.part`);
    expect(part.equals(BODY.subarray(0, part.length))).toBe(true);
  }
});

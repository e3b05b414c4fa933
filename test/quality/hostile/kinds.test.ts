import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { attack, HOSTILE_KINDS, type HostileKind } from '../../../quality/hostile/kinds.ts';
import { createSites } from '../../../quality/hostile/sites.ts';
import { until } from '../../helpers/until.ts';

const RATES = { jobsAtOnce: 2, streams: 4, followedJobs: 2, requestsPerSecond: 1_000 };

/** A service that accepts every job and ends none; a worker is not played, and so sites are called by the test. */
async function attacked(kind: HostileKind) {
  const requests: (Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string })[] = [];
  const server = createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
    const { method = '', url = '', headers } = request;
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ method, url, headers, body });
      if (url.endsWith('/events')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
      } else if (method === 'GET' && url.startsWith('/api/downloads?')) {
        response.end(JSON.stringify({ data: [{ id: 'unheard-of' }] }));
      } else {
        response.writeHead(method === 'POST' ? 202 : 200);
        response.end(JSON.stringify({ data: { id: `job-${String(requests.length)}` } }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sites = createSites({ small: Buffer.from('small'), pictures: Buffer.from('pictures') });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await sites.stop();
  });
  const restUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const lastingJob = () => Promise.resolve({ path: '/api/downloads/audio', body: { vidnet_video_id: 'kX3vQ9mTz0A' } });
  const running = attack(kind, { restUrl, authorization: 'Bearer key', sites, rates: RATES, lastingJob });
  return { requests, running };
}

it.each(HOSTILE_KINDS)(
  'a hostile caller with %s sends its requests, and cancels its jobs when it stops',
  async (kind) => {
    const { requests, running } = await attacked(kind);
    const posts = () => requests.filter(({ method }) => method === 'POST');
    const isLongId = ({ url = '' }: (typeof requests)[number]) => url.length > 15_000;
    if (kind === 'long ids') await until(() => requests.filter(isLongId).length > RATES.jobsAtOnce);
    else await until(() => posts().length >= RATES.jobsAtOnce);
    if (kind === 'many streams') {
      await running.started;
      expect(running.answers['streams']).toBe(RATES.streams);
    }
    // The worker of a service would request it.
    const { url } = JSON.parse(posts()[0]?.body ?? '{}') as { url?: string };
    if (url !== undefined) await once(get(url, { maxHeaderSize: 100_000 }), 'response');
    if (kind === 'blanks in headers') await until(() => requests.some(({ headers }) => 'forwarded' in headers));
    await running.stopWithJobs();

    expect(requests.every(({ headers }) => headers.authorization === 'Bearer key')).toBe(true);
    const cancelled = requests.filter(({ method }) => method === 'DELETE').map(({ url: path }) => path);
    expect(cancelled).toContain('/downloads/unheard-of');
    expect(cancelled.length).toBe(posts().length + 1);
  },
);

import { connect as connectTcp, BlockList, type Socket } from 'node:net';
import { once } from 'node:events';
import { Agent, request as ask, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProxyAgent, request, type Dispatcher } from 'undici';
import { startForwardProxy, type ForwardProxy, type ForwardProxySettings } from '../../outbound/forward-proxy.ts';
import { watchEventLoop } from '../helpers/event-loop.ts';
import { hostileAnswers, hostileHosts } from './hostile-hosts.ts';
import { lookupInZone } from './name-server.ts';
import {
  countOutgoingSockets,
  httpReceiver,
  httpsReceiver,
  loopback,
  makeCertificate,
  nothing,
  scriptedReceiver,
  tcpReceiver,
} from './receivers.ts';

const limits = { connectTimeoutMs: 2_000, idleTimeoutMs: 5_000 };

/** A proxy as a call has it. */
async function aProxy(settings: Partial<ForwardProxySettings> = {}) {
  const proxy = await startForwardProxy({ ...limits, allowedNetworks: loopback, ...settings });
  onTestFinished(() => proxy.close());
  return { ...proxy, ...proxy.lend() };
}
type Url = Pick<ReturnType<ForwardProxy['lend']>, 'url'>;

/** Speaks to the proxy as it is, with the right password. @returns all that it answers */
async function say(proxy: Url, lines: readonly string[], password = new URL(proxy.url).password) {
  const { port, username } = new URL(proxy.url);
  const socket = connectTcp(Number(port), '127.0.0.1');
  socket.setEncoding('latin1');
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  socket.write([...lines, `Proxy-Authorization: Basic ${basic}`, '', ''].join('\r\n'));
  let answer = '';
  socket.on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return answer;
}
const openTunnel = (proxy: Url, authority: string): Promise<string> =>
  say(proxy, [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`]);
const get = (proxy: Url, url: string): Promise<string> =>
  say(proxy, [`GET ${url} HTTP/1.1`, 'Host: other.example.com', 'Connection: close, X-Secret', 'X-Secret: 1']);

/** A client that goes through the proxy, as yt-dlp does. */
function clientOf(proxy: Url, ca?: string): Dispatcher {
  const { origin, username, password } = new URL(proxy.url);
  const agent = new ProxyAgent({
    uri: origin,
    token: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    ...(ca === undefined ? {} : { requestTls: { ca } }),
  });
  onTestFinished(() => agent.destroy());
  return agent;
}

describe('a permitted host', () => {
  it('is reached by plain HTTP, with the host of the URL and without the headers for the proxy', async () => {
    const seen: unknown[] = [];
    const server = await httpReceiver((incoming, answer) => {
      seen.push(incoming.url, incoming.headers);
      answer.writeHead(200, { 'x-a': ['1', '2'], 'content-length': 5 }).end('hello');
    });
    const answer = await get(await aProxy(), `http://127.0.0.1:${server.port}/a/../b?c=%20d`);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toMatch(/\r\nx-a: 1\r\nx-a: 2\r\n/);
    expect(answer).toMatch(/\r\n\r\nhello$/);
    expect(seen[0]).toBe('/b?c=%20d');
    expect(seen[1]).toEqual({ host: `127.0.0.1:${server.port}`, connection: 'close' });
  });

  it('is reached by a tunnel for HTTPS, and the client sees its certificate', async () => {
    const certificate = await makeCertificate();
    const server = await httpsReceiver(certificate, (_, answer) => answer.end('secret'));
    const proxy = await aProxy({ lookup: () => Promise.resolve(['127.0.0.1']) });
    const dispatcher = clientOf(proxy, certificate.cert);
    const answer = await request(`https://hook.example.com:${server.port}/`, { dispatcher });
    expect(await answer.body.text()).toBe('secret');
  });

  it('gets the body, and its response is forwarded as it arrives', async () => {
    const server = await httpReceiver((incoming, answer) => void incoming.pipe(answer));
    const { port, username, password } = new URL((await aProxy()).url);
    const body = 'x'.repeat(300_000);
    const answer = await fetchThrough(`127.0.0.1:${port}`, `${username}:${password}`, {
      url: `http://127.0.0.1:${server.port}/`,
      body,
    });
    expect(answer).toBe(body);
  });

  it.each([
    ['blanks', ' '.repeat(15_000)],
    ['commas', ','.repeat(15_000)],
    ['blanks and commas', ' ,'.repeat(7_500)],
    ['names', 'close, '.repeat(2_000)],
    ['tabs between blanks', ' \t'.repeat(7_500)],
    ['blanks around a name', `${' '.repeat(7_000)}x${' '.repeat(7_000)}`],
  ])('through ten redirects, whose Connection of %s does not hold the event loop', async (_what, value) => {
    let redirects = 0;
    const server = await tcpReceiver((socket) => {
      redirects += 1;
      const head = `HTTP/1.1 302 Found\r\nLocation: /${String(redirects)}\r\nContent-Length: 0\r\nConnection: x${value}y`;
      socket.once('data', () => socket.end(`${head}\r\n\r\n`));
    });
    const proxy = await aProxy();
    const stop = watchEventLoop();
    let path = '/';
    for (let hop = 0; hop < 10; hop += 1) {
      const answer = await get(proxy, `http://127.0.0.1:${server.port}${path}`);
      path = /^location: (\S+)/im.exec(answer)?.[1] ?? 'none';
    }
    expect(path).toBe('/10');
    expect(stop()).toBeLessThan(50);
  });

  it('cannot send more than 16 KiB of headers', async () => {
    const server = await scriptedReceiver(`HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(17_000)}\r\n\r\n`);
    expect(await get(await aProxy(), `http://127.0.0.1:${server.port}/`)).toMatch(/^HTTP\/1.1 502 /);
  });

  it('is seen to break off its response', async () => {
    const server = await tcpReceiver((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'));
    });
    const answer = await get(await aProxy(), `http://127.0.0.1:${server.port}/`);
    expect(answer).toMatch(/content-length: 100\r\n[^]*half$/i);
  });
});

describe('a forbidden target', () => {
  it.each(['http', 'CONNECT'])('with a hostile host is refused by %s before a socket is opened', async (way) => {
    const canary = await httpReceiver((_, answer) => answer.end('secret'));
    const proxy = await aProxy({
      allowedNetworks: nothing,
      lookup: () => Promise.reject(new Error('nothing may be looked up')),
    });
    for (const host of hostileHosts) {
      // A request line is of visible ASCII: the others can't be said at all, or only in the spelling of an IDN.
      if (!/^[\x21-\x7e]+$/.test(host)) continue;
      const answer =
        way === 'http'
          ? await get(proxy, `http://${host}:${canary.port}/`)
          : await openTunnel(proxy, `${host}:${canary.port}`);
      expect(answer, host).toMatch(/^HTTP\/1.1 403 Target Not Public\r\n/);
    }
    expect(canary.connections()).toBe(0);
  });

  it.each([
    '127.0.0.1:22',
    '127.0.0.1:',
    '127.0.0.1',
    ':80',
    '',
    '/',
    'a@127.0.0.1:80',
    'file:///etc:1',
    '[::1]:70000',
  ])('such as the authority %j of a tunnel is refused', async (authority) => {
    const proxy = await aProxy({ allowedNetworks: nothing });
    expect(await openTunnel(proxy, authority)).toMatch(/^HTTP\/1.1 (?:403 Target Not Public|400)/);
  });

  it.each(['ftp://127.0.0.1/', 'https://127.0.0.1/', 'file:///etc/passwd', '/', '*', 'http://'])(
    'such as the URL %j of a plain request is refused',
    async (url) => {
      const sockets = countOutgoingSockets();
      expect(await get(await aProxy(), url)).toMatch(/^HTTP\/1.1 403 Target Not Public/);
      // Only the socket of the client.
      expect(sockets()).toBe(1);
    },
  );

  it('is not reached by a name with a private address, whatever its name servers return', async () => {
    const canary = await httpReceiver((_, answer) => answer.end('secret'));
    let found: readonly string[] = [];
    const proxy = await aProxy({ allowedNetworks: nothing, lookup: () => Promise.resolve(found) });
    for (const answer of hostileAnswers) {
      found = answer;
      expect(await openTunnel(proxy, `cdn.example.com:${canary.port}`), String(answer)).toMatch(/^HTTP\/1.1 403 /);
      expect(await get(proxy, `http://cdn.example.com:${canary.port}/`), String(answer)).toMatch(/^HTTP\/1.1 403 /);
    }
    expect(canary.connections()).toBe(0);
  });

  it.each(['inward', 'mapped', 'mixed', 'mixed-families', 'nat64'])(
    'is not reached by the name %s that a real name server resolves to it',
    async (name) => {
      const canary = await httpReceiver((_, answer) => answer.end('secret'));
      const proxy = await aProxy({ allowedNetworks: nothing, lookup: await lookupInZone() });
      expect(await openTunnel(proxy, `${name}.example.com:${canary.port}`)).toMatch(/^HTTP\/1.1 403 /);
      expect(canary.connections()).toBe(0);
    },
  );

  it.each(['http', 'https'] as const)('is not reached by a redirect or by rebinding, over %s', async (protocol) => {
    const certificate = await makeCertificate();
    const listener: RequestListener = (_, answer) =>
      answer.writeHead(302, { location: `${protocol}://hook.example.com:${server.port}/` }).end();
    const server = protocol === 'http' ? await httpReceiver(listener) : await httpsReceiver(certificate, listener);
    // 127.0.0.2 plays the public address, the only one allowed; the second answer is another.
    const onlyOne = new BlockList();
    onlyOne.addAddress('127.0.0.2');
    const lookup = vi
      .fn<(name: string) => Promise<string[]>>()
      .mockResolvedValueOnce(['127.0.0.2'])
      .mockResolvedValue(['127.0.0.1']);
    const proxy = await aProxy({ allowedNetworks: onlyOne, lookup });
    const url = `${protocol}://hook.example.com:${server.port}/`;
    const ask = async (target: string): Promise<{ statusCode: number; location: string }> => {
      if (protocol === 'http') {
        const answer = await get(proxy, target);
        return { statusCode: Number(answer.slice(9, 12)), location: /location: (\S+)/i.exec(answer)?.[1] ?? '' };
      }
      const { statusCode, headers } = await request(target, { dispatcher: clientOf(proxy, certificate.cert) });
      return { statusCode, location: String(headers['location']) };
    };
    const { statusCode, location } = await ask(url);
    expect(statusCode).toBe(302);
    if (protocol === 'http') expect((await ask(location)).statusCode).toBe(403);
    else await expect(ask(location)).rejects.toThrow('403');
    expect(lookup).toHaveBeenCalledTimes(2);
    expect(server.connections()).toBe(1);
  });
});

describe('the proxy', () => {
  it.each(['GET http://127.0.0.1:{port}/ HTTP/1.1', 'CONNECT 127.0.0.1:{port} HTTP/1.1'])(
    'requires its password: %s',
    async (line) => {
      const server = await httpReceiver((_, answer) => answer.end('secret'));
      const proxy = await aProxy();
      for (const wrong of ['', 'wrong', 'x'.repeat(48)]) {
        const lines = [line.replace('{port}', String(server.port)), 'Host: 127.0.0.1', 'Connection: close'];
        expect(await say(proxy, lines, wrong)).toMatch(/^HTTP\/1.1 407 /);
      }
      expect(server.connections()).toBe(0);
    },
  );

  it('listens on loopback only, with a new password each time', async () => {
    const [one, other] = [await aProxy(), await aProxy()];
    expect(new URL(one.url).hostname).toBe('127.0.0.1');
    expect(new URL(one.url).password).toMatch(/^[0-9a-f]{48}$/);
    expect(new URL(one.url).password).not.toBe(new URL(other.url).password);
  });

  it('has a password for each run, which is revoked after the run', async () => {
    const server = await httpReceiver((_, answer) => answer.end('secret'));
    const { url, end, lend } = await aProxy();
    const other = lend();
    expect(new URL(other.url).password).not.toBe(new URL(url).password);
    end();
    expect(await get({ url }, `http://127.0.0.1:${server.port}/`)).toMatch(/^HTTP\/1.1 407 /);
    expect(await openTunnel({ url }, `127.0.0.1:${server.port}`)).toMatch(/^HTTP\/1.1 407 /);
    expect(server.connections()).toBe(0);
    expect(await get(other, `http://127.0.0.1:${server.port}/`)).toMatch(/^HTTP\/1.1 200 /);
  });

  it('closes the connections of a run that ends, and not those of another', async () => {
    const accepted: Socket[] = [];
    const server = await tcpReceiver((socket) => accepted.push(socket.resume()));
    const { lend, ...ended } = await aProxy({ idleTimeoutMs: 600_000 });
    const authority = `127.0.0.1:${server.port}`;
    const left = [openTunnel(ended, authority), get(ended, `http://${authority}/`)];
    await expect.poll(() => accepted.length).toBe(2);
    void openTunnel(lend(), authority);
    await expect.poll(() => accepted.length).toBe(3);
    ended.end();
    await expect.poll(() => accepted.map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
    await Promise.all(left);
  });

  it('closes its tunnels when it is closed', async () => {
    let accepted: Socket | undefined;
    const server = await tcpReceiver((socket) => (accepted = socket));
    const proxy = await aProxy();
    const answer = openTunnel(proxy, `127.0.0.1:${server.port}`);
    await expect.poll(() => accepted !== undefined).toBe(true);
    await proxy.close();
    expect(await answer).toMatch(/^HTTP\/1.1 200 /);
    await expect.poll(() => accepted?.destroyed).toBe(true);
  });
});

describe('a client', () => {
  it('may send many requests over one connection without a listener for each', async () => {
    const server = await httpReceiver((_, answer) => answer.end('hello'));
    const { port, username, password } = new URL((await aProxy()).url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const warnings: Error[] = [];
    const hear = (warning: Error): number => warnings.push(warning);
    process.on('warning', hear);
    onTestFinished(() => {
      process.off('warning', hear);
      agent.destroy();
    });
    const ports = new Set<number | undefined>();
    agent.on('free', (socket: Socket) => ports.add(socket.localPort));
    const url = `http://127.0.0.1:${server.port}/`;
    for (let count = 0; count < 15; count += 1) {
      const to = { url, body: '', agent };
      expect(await fetchThrough(`127.0.0.1:${port}`, `${username}:${password}`, to)).toBe('hello');
    }
    expect(server.connections()).toBe(15);
    expect(ports.size).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('that leaves before the response leaves no connection to the host', async () => {
    let accepted: Socket | undefined;
    const server = await tcpReceiver((socket) => (accepted = socket.resume()));
    const proxy = await aProxy({ idleTimeoutMs: 600_000 });
    const { port, username, password } = new URL(proxy.url);
    const agent = new Agent();
    const to = { url: `http://127.0.0.1:${server.port}/`, body: '', agent };
    const response = fetchThrough(`127.0.0.1:${port}`, `${username}:${password}`, to);
    const left = expect(response).rejects.toThrow('socket hang up');
    await expect.poll(() => accepted !== undefined).toBe(true);
    agent.destroy();
    await left;
    await expect.poll(() => accepted?.destroyed).toBe(true);
  });
});

it('reports a host that cannot be reached with 502', async () => {
  const proxy = await aProxy({ lookup: () => Promise.reject(new Error('no such name')) });
  expect(await openTunnel(proxy, '127.0.0.1:1')).toMatch(/^HTTP\/1.1 502 Target Unreachable/);
  expect(await openTunnel(proxy, 'none.example.com:443')).toMatch(/^HTTP\/1.1 502 Target Unreachable/);
  expect(await get(proxy, 'http://127.0.0.1:1/')).toMatch(/^HTTP\/1.1 502 Target Unreachable/);
});

function fetchThrough(
  proxy: string,
  credentials: string,
  { url, body, agent }: { url: string; body: string; agent?: Agent },
): Promise<string> {
  const [hostname, port] = proxy.split(':');
  return new Promise((resolve, reject) => {
    const headers = {
      'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-length': body.length,
    };
    const sent = ask({ hostname, port, path: url, method: 'POST', headers, agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve(text));
    });
    sent.on('error', reject).end(body);
  });
}

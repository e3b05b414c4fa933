import diagnostics from 'node:diagnostics_channel';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { BlockList, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

export const nothing = new BlockList();
export const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

export interface Receiver {
  readonly port: number;
  /** TCP connections accepted so far. */
  readonly connections: () => number;
}

/** Answers as HTTP on every loopback address, IPv4 and IPv6. */
export async function httpReceiver(listener: RequestListener): Promise<Receiver> {
  return listen(createHttpServer(listener));
}

/** The same over TLS, with the certificate of {@link makeCertificate}. */
export async function httpsReceiver(certificate: Certificate, listener: RequestListener): Promise<Receiver> {
  return listen(createHttpsServer({ cert: certificate.cert, key: certificate.private }, listener));
}

/** Hands over bare connections. */
export async function tcpReceiver(onConnection: (socket: Socket) => void): Promise<Receiver> {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      onConnection(socket);
    }),
  );
}

/** Sends these bytes after the first bytes of a request, then runs `then`. */
export async function scriptedReceiver(bytes: string, then?: (socket: Socket) => void): Promise<Receiver> {
  return tcpReceiver((socket) => {
    socket.once('data', () => {
      socket.write(bytes);
      then?.(socket);
    });
  });
}

type Certificate = Awaited<ReturnType<typeof generate>>;

/** A self-signed certificate for `hook.example.com`, 127.0.0.1 and ::1. */
export async function makeCertificate(): Promise<Certificate> {
  return generate([{ name: 'commonName', value: 'hook.example.com' }], {
    keyType: 'ec',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'hook.example.com' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
}

/** Counts every outgoing socket that this process makes, wherever it leads, from now to the end of the test. */
export function countOutgoingSockets(): () => number {
  let count = 0;
  const onSocket = (): void => {
    count++;
  };
  diagnostics.subscribe('net.client.socket', onSocket);
  onTestFinished(() => void diagnostics.unsubscribe('net.client.socket', onSocket));
  return () => count;
}

async function listen(server: Server): Promise<Receiver> {
  let connections = 0;
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    connections++;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '::', 2_048, resolve);
  });
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

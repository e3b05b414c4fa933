import { connect } from 'node:net';
import type { z } from 'zod';
import type { Operation } from '../../../api/operations/operation.ts';
import { operations } from '../../../api/operations/operations.ts';
import type { Random } from '../../../quality/chaos/plan.ts';
import { hostileBody, hostileHeaders, hostileText } from './text.ts';

/** A stream of events or a request that waits is left after so long. */
const LEAVE_AFTER_MS = 300;
const OTHER_PATHS = ['/', '/live', '/openapi.json', '/files/', '/docs/', '/console/', '/api/', '/nothing/'];
const ROWS: readonly Operation[] = Object.values(operations);

export interface HostileRequest {
  /** Its first line and the names of its headers. */
  readonly label: string;
  readonly bytes: Buffer;
}

/** A request for one of all operations or pages, with hostile parameters, headers and body. */
export function hostileRequest(random: Random, key: string | undefined): HostileRequest {
  const row = random.next() < 0.8 ? random.pick(ROWS) : undefined;
  const text = (): string => encodeURI(hostileText(random, random.pick([30, 300, 4_000]))).replaceAll('#', '%23');
  const target =
    row === undefined
      ? random.pick(OTHER_PATHS) + text()
      : row.path.replaceAll(/\{\w+\}/g, text) + (row.query === undefined ? '' : `?${queryOf(row.query, text, random)}`);
  const method =
    row === undefined ? random.pick(['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']) : row.method.toUpperCase();
  const body = row?.body === undefined ? '' : hostileBody(random, Object.keys(row.body.shape));
  const headers = [
    `${method} ${target} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(body === '' ? [] : [`Content-Length: ${String(Buffer.byteLength(body))}`]),
    ...(random.next() < 0.7 ? hostileHeaders(random) : []),
  ];
  const names = [...new Set(headers.slice(3).map((line) => line.split(':', 1)[0]))];
  return {
    label: `${headers[0]?.slice(0, 80) ?? ''} ${names.join(' ')} body ${body.slice(0, 60)}`,
    bytes: Buffer.concat([Buffer.from(`${headers.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]),
  };
}

function queryOf(query: z.ZodObject, text: () => string, random: Random): string {
  const names = Object.keys(query.shape);
  if (random.next() < 0.2) return 'a&'.repeat(3_000);
  return names.map((name) => `${name}=${text()}`).join('&');
}

/** Sends it over a connection of its own, and reads until the other side ends, or for a moment. @returns the status, if any */
export function send(port: number, { bytes }: HostileRequest): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let head = '';
    socket.setTimeout(LEAVE_AFTER_MS, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (head.length < 12) head += chunk.toString('latin1').slice(0, 12);
    });
    socket.once('close', () => {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? [];
      resolve(status === undefined ? undefined : Number(status));
    });
    // Without an end: Node gives up a request whose sender has ended its side.
    socket.write(bytes);
  });
}

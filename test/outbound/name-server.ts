import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { createDnsLookup, type Lookup } from '../../outbound/connector.ts';

/** What the name server of these tests knows; a name that is missing does not exist. Names with `silent` in them are never answered. */
const zone: Readonly<Record<string, { a?: string[]; aaaa?: string[] }>> = {
  'both.example.com': { a: ['93.184.215.14', '93.184.215.15'], aaaa: ['2606:4700::1111'] },
  'four.example.com': { a: ['93.184.215.14'] },
  'six.example.com': { aaaa: ['2606:4700::1111'] },
  'none.example.com': {},
  'inward.example.com': { a: ['127.0.0.1'] },
  'mapped.example.com': { aaaa: ['::ffff:127.0.0.1'] },
  'mixed.example.com': { a: ['93.184.215.14', '127.0.0.1'] },
  'mixed-families.example.com': { a: ['93.184.215.14'], aaaa: ['::1'] },
  'nat64.example.com': { aaaa: ['64:ff9b::7f00:1'] },
};

/** A name server on loopback that serves {@link zone}. */
export async function lookupInZone(): Promise<Lookup> {
  const server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const reply = answerTo(query);
    if (reply !== undefined) server.send(reply, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return createDnsLookup([`127.0.0.1:${server.address().port}`]);
}

const TYPE_A = 1;
const TYPE_AAAA = 28;

/** RFC 1035: header of 12 bytes, then the question: labels, type, class. */
function answerTo(query: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset]!; length > 0; length = query[offset]!) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += length + 1;
  }
  const type = query.readUInt16BE(offset + 1);
  const name = labels.join('.').toLowerCase();
  if (name.includes('silent')) return undefined;
  const records = zone[name];
  const found =
    records === undefined ? [] : ((type === TYPE_A ? records.a : type === TYPE_AAAA ? records.aaaa : []) ?? []);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(records === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(found.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(12, offset + 5), ...found.map((address) => record(type, address))]);
}

function record(type: number, address: string): Buffer {
  const data = type === TYPE_A ? Buffer.from(address.split('.').map(Number)) : v6Bytes(address);
  // A pointer to the name in the question, type, class IN, no time to live.
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}

function v6Bytes(address: string): Buffer {
  const [left = '', right = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): number[] =>
    text
      .split(':')
      .filter((group) => group !== '')
      .map((group) => parseInt(group, 16));
  const [before, after] = [groups(left), groups(right)];
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

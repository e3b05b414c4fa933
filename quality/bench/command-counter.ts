import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/** Bytes of the header of a message of MongoDB's protocol, and what else stands before the first document of an OP_MSG. */
const HEADER_BYTES = 16;
const FLAGS_AND_KIND_BYTES = 5;
const OP_MSG = 2013;
/** What drivers say on their own. */
const OF_THE_DRIVER = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'buildInfo', 'endSessions', 'saslStart']);

/** A line to a MongoDB server that counts the commands that go over it, by name and collection. */
export async function startCommandCounter(target: string) {
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const { hostname, port } = target.startsWith('/') ? { hostname: '', port: '' } : new URL(`tcp://${target}`);
    const upstream = target.startsWith('/') ? connect(target) : connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
    const take = messages((name) => counts.set(name, (counts.get(name) ?? 0) + 1));
    client.on('data', take);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    uri: `mongodb://127.0.0.1:${String((server.address() as AddressInfo).port)}/`,
    /** So far: `find records` and the like. */
    counts: (): Readonly<Record<string, number>> => Object.fromEntries(counts),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function messages(onCommand: (name: string) => void): (bytes: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      if (rest.readInt32LE(12) === OP_MSG) {
        const body = rest.subarray(HEADER_BYTES + FLAGS_AND_KIND_BYTES);
        const document = body.subarray(0, body.readInt32LE(0));
        const [first] = Object.entries(BSON.deserialize(document));
        if (first !== undefined && !OF_THE_DRIVER.has(first[0])) onCommand(`${first[0]} ${String(first[1])}`);
      }
      rest = rest.subarray(length);
    }
  };
}

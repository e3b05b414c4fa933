import { readdir, readFile, readlink } from 'node:fs/promises';

const LISTENING = '0A';

export interface ListeningPort {
  readonly port: number;
  /** Name of the process, as the system knows it. */
  readonly program: string;
  /** Whether only this machine can reach it. */
  readonly isLoopback: boolean;
}

/** Every TCP port that a process or one started by it listens on, as the system itself tells: Linux only. */
export async function listeningPorts(root: number): Promise<ListeningPort[]> {
  const sockets = new Map([...(await socketsIn('/proc/net/tcp')), ...(await socketsIn('/proc/net/tcp6'))]);
  const ports: ListeningPort[] = [];
  for (const pid of await family(root)) {
    const program = (await readFile(`/proc/${String(pid)}/comm`, 'utf8').catch(() => '')).trim();
    // A process that has ended in the meantime holds nothing.
    for (const file of await readdir(`/proc/${String(pid)}/fd`).catch(() => [])) {
      const link = await readlink(`/proc/${String(pid)}/fd/${file}`).catch(() => '');
      const socket = sockets.get(/^socket:\[(\d+)\]$/.exec(link)?.[1] ?? '');
      if (socket !== undefined && !ports.some(({ port }) => port === socket.port)) ports.push({ ...socket, program });
    }
  }
  return ports;
}

/** A line is `number: address:port remote:port state … uid timeout inode`, in hex; IPv4 addresses are read from the end. */
async function socketsIn(table: string): Promise<[inode: string, socket: Omit<ListeningPort, 'program'>][]> {
  const lines = (await readFile(table, 'utf8').catch(() => '')).trim().split('\n').slice(1);
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    const isLoopback = address.length === 8 ? address.endsWith('7F') : address === '00000000000000000000000001000000';
    return state === LISTENING ? [[inode, { port: parseInt(port, 16), isLoopback }]] : [];
  });
}

/** The process and all that it and they have started. */
async function family(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    const stat = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '') : '';
    // The name stands in brackets and may hold anything, so the rest is counted from its end: state, then parent.
    if (stat !== '') parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const members = [root];
  for (const member of members) for (const [pid, parent] of parents) if (parent === member) members.push(pid);
  return members;
}

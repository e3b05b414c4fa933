import { readFile, readdir, readlink } from 'node:fs/promises';

/** Ports of TCP on which a process listens. Linux only. */
export async function portsOf(pid: number): Promise<number[]> {
  const links = await Promise.all(
    (await readdir(`/proc/${String(pid)}/fd`)).map((fd) => readlink(`/proc/${String(pid)}/fd/${fd}`).catch(() => '')),
  );
  const own = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${String(pid)}/net/${name}`, 'utf8').catch(() => '')),
  );
  const rows = tables
    .join('\n')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows
    .filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(inode))
    .map(([, address = '']) => parseInt(address.split(':').at(-1) ?? '', 16));
}

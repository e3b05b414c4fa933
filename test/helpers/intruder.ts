import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NOBODY = 65_534;

/** Only root can start a process as somebody else. */
export const CAN_INTRUDE = process.platform === 'linux' && process.getuid?.() === 0;

export interface Target {
  /** Path of a Unix socket. */
  readonly socket: string;
  readonly paths: readonly string[];
  readonly pids: readonly number[];
}

/** What a user of the machine got hold of. */
export interface Loot {
  readonly uid: number;
  /** `connected`, or the code of the error. */
  readonly socket: string;
  /** Of the paths, those whose text or listing could be read. */
  readonly readable: readonly string[];
  /** Of the processes, those whose environment could be read. */
  readonly environments: readonly number[];
  /** Of all processes of the machine. */
  readonly commandLines: readonly string[];
}

const INTRUDER = `
  const { readFileSync, readdirSync } = require('node:fs');
  const { connect } = require('node:net');
  const { socket, paths, pids } = JSON.parse(process.argv[1]);
  const can = (look) => { try { look(); return true } catch { return false } };
  const told = (look) => { try { return look() } catch { return '' } };
  const loot = (how) => ({
    uid: process.getuid(),
    socket: how,
    readable: paths.filter((path) => can(() => readFileSync(path)) || can(() => readdirSync(path))),
    environments: pids.filter((pid) => can(() => readFileSync('/proc/' + pid + '/environ'))),
    commandLines: readdirSync('/proc').map((name) => told(() => readFileSync('/proc/' + name + '/cmdline', 'utf8'))),
  });
  const tell = (how) => process.stdout.write(JSON.stringify(loot(how)), () => process.exit());
  connect(socket).on('connect', () => tell('connected')).on('error', (error) => tell(error.code));
`;

/** Tries to take what it is shown, as another user of this machine. */
export async function intrude(target: Target): Promise<Loot> {
  // Ours may lie in a folder that nobody else can enter.
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-intruder-'));
  await chmod(folder, 0o755);
  const node = join(folder, 'node');
  await copyFile(process.execPath, node);
  const child = spawn(node, ['-e', INTRUDER, JSON.stringify(target)], {
    ...{ uid: NOBODY, gid: NOBODY, cwd: '/', env: {} },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject)).finally(() =>
    rm(folder, { recursive: true }),
  );
  return JSON.parse(output) as Loot;
}

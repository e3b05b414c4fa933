import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '../../local/service-process.ts';
import { runTool } from './media.ts';
import { until } from './until.ts';

const ROOT = join(import.meta.dirname, '../..');
const HOLDER = join(import.meta.dirname, 'host-holder.mjs');
const LIFELINE = join(ROOT, 'local/service-lifeline.mjs');
const NETWORK = '10.77.0';
const BRIDGE = 'tapedeck-test';
/** After which whatever keeps the parts of a service running starts them again. */
const RESTART_MS = 1_000;
const STOP_MS = 60_000;

/** Where hosts reach what runs on none of them. */
const ENGINES_ADDRESS = `${NETWORK}.1`;
export const HOSTS_NETWORK = `${NETWORK}.0/24`;

/** A network between hosts that are network namespaces, in each of which a part of the service runs. */
export interface HostNetwork {
  /**
   * Makes what listens on our loopback, or on a socket, reachable for hosts.
   *
   * @param target `127.0.0.1:PORT` or an absolute path
   * @returns host and port; the same port, if there is one
   */
  expose(target: string): Promise<string>;
  addHost(name: string, number: number): Promise<Host>;
  close(): Promise<void>;
}

/** Needs to be root, or whoever may make namespaces. @throws what `ip` says */
export async function openHostNetwork(): Promise<HostNetwork> {
  const servers: Server[] = [];
  const hosts: Host[] = [];
  await runTool('ip', ['link', 'add', BRIDGE, 'type', 'bridge']);
  await runTool('ip', ['addr', 'add', `${ENGINES_ADDRESS}/24`, 'dev', BRIDGE]);
  await runTool('ip', ['link', 'set', BRIDGE, 'up']);
  return {
    async expose(target) {
      const port = target.startsWith('/') ? 0 : Number(target.split(':')[1]);
      const server = createServer((near) => {
        const far = port === 0 ? connect(target) : connect(port, '127.0.0.1');
        near.on('error', () => far.destroy()).on('close', () => far.destroy());
        far.on('error', () => near.destroy()).on('close', () => near.destroy());
        near.pipe(far).pipe(near);
      });
      server.listen(port, ENGINES_ADDRESS);
      await once(server, 'listening');
      servers.push(server);
      return `${ENGINES_ADDRESS}:${String((server.address() as AddressInfo).port)}`;
    },
    async addHost(name, number) {
      const host = await Host.open(name, number);
      hosts.push(host);
      return host;
    },
    async close() {
      await Promise.all(hosts.map((host) => host.close()));
      for (const server of servers) server.close();
      await runTool('ip', ['link', 'del', BRIDGE]);
    },
  };
}

export class Host {
  readonly name: string;
  readonly address: string;
  /** The namespaces last as long as it, and it as long as we. */
  readonly #holder: ChildProcess;
  #part: ChildProcess | undefined;
  #isWanted = false;

  private constructor(name: string, number: number, holder: ChildProcess) {
    this.name = name;
    this.address = `${NETWORK}.${String(number)}`;
    this.#holder = holder;
  }

  static async open(name: string, number: number): Promise<Host> {
    const args = ['--net', '--uts', process.execPath, HOLDER];
    const holder = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(holder, 'spawn');
    const host = new Host(name, number, holder);
    const pid = String(holder.pid);
    const isThere = async () => (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(`\0${HOLDER}\0`);
    await until(async () => (await isThere()) && !(await readFile(`/proc/${pid}/comm`, 'utf8')).startsWith('unshare'), {
      what: 'a namespace',
    });
    await runTool('ip', ['link', 'add', host.#link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid]);
    await runTool('ip', ['link', 'set', host.#link, 'master', BRIDGE, 'up']);
    await runTool('nsenter', [...host.#inside, 'hostname', name]);
    for (const args of ['link set lo up', `addr add ${host.address}/24 dev eth0`, 'link set eth0 up'])
      await runTool('nsenter', [...host.#inside, 'ip', ...args.split(' ')]);
    return host;
  }

  get #link(): string {
    return `td-${this.name}`;
  }

  get #inside(): string[] {
    return ['--target', String(this.#holder.pid), '--net', '--uts'];
  }

  /** Makes what was exposed answer on the loopback of this host, too: some things answer to no other name. */
  async expectOnLoopback(exposed: string): Promise<void> {
    const [host = '', port = ''] = exposed.split(':');
    const { stdin, stdout } = this.#holder;
    if (stdin === null || stdout === null) throw new Error('the host has no lines');
    const listening = once(stdout, 'data');
    stdin.write(`${port} ${host}\n`);
    await listening;
  }

  /** Runs a part of the service here, again whenever it ends, until it is stopped. Its lines go to `NAME.log` in the folder. */
  run(part: ServiceName, env: Readonly<Record<string, string>>, dataDir: string): void {
    this.#isWanted = true;
    mkdirSync(dataDir, { recursive: true });
    const out = openSync(join(dataDir, `${part}.log`), 'a');
    const child = spawn(
      'nsenter',
      [...this.#inside, process.execPath, '--import', LIFELINE, join(ROOT, part, 'main.ts')],
      { cwd: ROOT, env: { ...env, DATA_DIR: dataDir }, stdio: ['ignore', out, out, 'ipc'] },
    );
    closeSync(out);
    this.#part = child;
    child.once('exit', () => {
      if (this.#isWanted) setTimeout(() => this.#isWanted && this.run(part, env, dataDir), RESTART_MS);
    });
  }

  cutOff = (): Promise<void> => this.#set('down');
  connectAgain = (): Promise<void> => this.#set('up');

  async #set(state: 'up' | 'down'): Promise<void> {
    await runTool('ip', ['link', 'set', this.#link, state]);
  }

  /** Its power goes, and does not come back. */
  async loseForGood(): Promise<void> {
    await this.cutOff();
    await this.#end('SIGKILL');
  }

  stop = (): Promise<void> => this.#end('SIGTERM');

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false;
    const part = this.#part;
    if (part === undefined || part.exitCode !== null || part.signalCode !== null) return;
    const gone = once(part, 'exit');
    part.kill(signal);
    const late = new AbortController();
    await Promise.race([gone, delay(STOP_MS, undefined, { signal: late.signal }).then(() => part.kill('SIGKILL'))]);
    late.abort();
    await gone;
  }

  async close(): Promise<void> {
    await this.stop();
    this.#holder.stdin?.end();
  }
}

/** What lies in folders of a host, at any depth. */
export async function remainsIn(dataDir: string, folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(dataDir, folder), { recursive: true }).catch(() => [])).map((name) => `${folder}/${name}`),
    ),
  );
  return found.flat();
}

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { platformFolder } from '../../local/engines/install.ts';
import { ensureImageTools, type ImageTools } from './image-tools.ts';
import type { Setup } from '../../local/engines/environment.ts';
import { ROOT } from './markdown.ts';

/** Where the bases trust what this machine trusts, which may reach registries through a proxy of its own. */
const TRUSTED = '/etc/ssl/certs/ca-certificates.crt';
const BUILDAH =
  'buildah() { "$TOOLS/usr/bin/buildah" --root "$1/storage" --runroot "$1/run" --storage-driver overlay "${@:2}"; }';
/** Of a base as slim as the official ones: packages of Debian alone, without documentation. */
const BASES = `${BUILDAH}
if buildah "$1" inspect localhost/node > /dev/null 2>&1; then exit 0; fi
tree=$(mktemp -d "$1/tree-XXXX")
trap 'umount "$tree/proc" "$tree/sys" 2> /dev/null || true; rm -rf --one-file-system "$tree"' EXIT
"$TOOLS/usr/sbin/debootstrap" --variant=minbase trixie "$tree" http://deb.debian.org/debian >&2
umount "$tree/proc" "$tree/sys" 2> /dev/null || true
rm -rf "$tree"/usr/share/{doc,man,locale}/* "$tree"/var/cache/apt/archives/*.deb "$tree"/var/lib/apt/lists/*
printf 'path-exclude /usr/share/%s/*\\n' doc man locale > "$tree/etc/dpkg/dpkg.cfg.d/slim"
container=$(buildah "$1" from --pull-never scratch)
buildah "$1" copy "$container" "$tree" /
buildah "$1" config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env NODE_EXTRA_CA_CERTS=/run/trusted.crt --env PIP_CERT=/run/trusted.crt "$container"
commit="commit --signature-policy $TOOLS/policy.json --disable-compression"
buildah "$1" $commit "$container" localhost/debian
buildah "$1" copy "$container" "$2" /usr/local
buildah "$1" $commit --rm "$container" localhost/node`;
const BUILD = `${BUILDAH}
buildah "$1" bud --isolation chroot --signature-policy "$TOOLS/policy.json" --pull-never --layers \
  --volume ${TRUSTED}:/run/trusted.crt:ro --build-arg NODE_IMAGE=localhost/node --build-arg DEBIAN_IMAGE=localhost/debian \
  --tag localhost/tapedeck "$2" >&2
buildah "$1" rm tapedeck-tree > /dev/null 2>&1 || true
buildah "$1" from --pull-never --signature-policy "$TOOLS/policy.json" --name tapedeck-tree localhost/tapedeck > /dev/null`;
/**
 * A container by hand: a tree that is read only, with folders of its own, processes of its own, and no rights. Each has a tree
 * of its own too: what one has mounted no other sees.
 */
const START = `${BUILDAH}
name=tapedeck-$HOST_NAME
buildah "$1" rm "$name" > /dev/null 2>&1 || true
buildah "$1" from --pull-never --signature-policy "$TOOLS/policy.json" --name "$name" localhost/tapedeck > /dev/null
tree=$(buildah "$1" mount "$name"); data=$2; plugins=$3; user=$4; shift 4
mkdir -p "$tree/opt/plugins"
mount --bind "$tree" "$tree"; mount -o remount,bind,ro "$tree"
mount --bind "$data" "$tree/data"; mount --bind "$plugins" "$tree/opt/plugins"; mount --rbind /dev "$tree/dev"
mount -t tmpfs -o size=256m,mode=1777 tmpfs "$tree/tmp"; mount -t proc proc "$tree/proc"
hostname "$HOST_NAME"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$tree" /usr/bin/env --chdir=/app "$@"`;

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
}
export type Image = Awaited<ReturnType<typeof buildImage>>;

/** Executes the Dockerfile of this project, on bases made of Debian's packages and npm's Node. Takes minutes the first time. */
export async function buildImage(setup: Setup) {
  const tools = await ensureImageTools(setup);
  const store = platformFolder(setup, 'image-storage');
  await mkdir(store, { recursive: true });
  await tools.run(BASES, { args: [store, tools.nodeFolder], what: 'making the bases of the image' });
  await tools.run(BUILD, { args: [store, ROOT], what: 'building the image' });
  const inspected = await output(tools, `${BUILDAH}\nbuildah "$1" inspect --type image localhost/tapedeck`, [store]);
  const { config } = (JSON.parse(inspected) as { OCIv1: { config: ImageConfig } }).OCIv1;
  return {
    config,
    /** @returns what a command of the tree prints, as root, who sees all of it */
    inTree: (...command: readonly string[]) =>
      output(tools, `${BUILDAH}\ntree=$(buildah "$1" mount tapedeck-tree); shift; exec chroot "$tree" "$@"`, [
        ...[store, ...command],
      ]),
    /** Starts what the image starts, or `command` instead, as the image says, and read only. */
    start(options: {
      readonly host: string;
      readonly dataDir: string;
      readonly plugins: string;
      readonly env: Readonly<Record<string, string>>;
      readonly command?: readonly string[];
    }): ChildProcess {
      const [unshare, ...args] = tools.commandOf(START);
      const own = Object.entries(options.env).map(([name, value]) => `${name}=${value}`);
      const line = [...config.Env, ...own, ...config.Entrypoint, ...(options.command ?? config.Cmd)];
      const folders = [store, options.dataDir, options.plugins, config.User];
      return spawn(unshare, ['--pid', '--fork', '--uts', ...args, ...folders, '-i', ...line], {
        env: { PATH: process.env['PATH'], HOST_NAME: options.host },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    },
  };
}

async function output(tools: ImageTools, script: string, args: readonly string[]): Promise<string> {
  const [unshare, ...before] = tools.commandOf(script);
  const { stdout } = await promisify(execFile)(unshare, [...before, ...args], { maxBuffer: 64 * 1024 ** 2 });
  return stdout;
}

/**
 * Ends what a tree was started for, at once. Its first process takes all others with it, and must be signalled itself: the kernel
 * forgets whose death it should follow when it changes its user (prctl(2), PR_SET_PDEATHSIG).
 */
export async function endAtOnce(unshare: ChildProcess): Promise<void> {
  if (unshare.exitCode !== null || unshare.signalCode !== null) return;
  const ended = once(unshare, 'exit');
  const id = String(unshare.pid);
  const children = await readFile(`/proc/${id}/task/${id}/children`, 'utf8');
  for (const child of children.split(' ').filter(Boolean)) process.kill(Number(child), 'SIGKILL');
  await ended;
}

/** The folder of the sandbox's plugins for yt-dlp, as the tree sees it. */
export const PLUGINS = '/opt/plugins';
export const PLUGINS_HERE = join(ROOT, 'local/sandbox/yt-dlp-plugins');

// node local/bootstrap.mjs TARGET [ARG...]    runs TARGET with a supported Node and the installed npm packages
// node local/bootstrap.mjs --node [TARGET]    installs the same and prints the path of that Node
// It makes the first command after a clone work: if Node is too old, it downloads a newer one as an npm package, and it installs
// missing or outdated packages. It is plain JavaScript for Node 18 without dependencies, because nothing is installed yet.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json');
const LOCK = join(ROOT, '.tapedeck', 'npm-ci.lock');
const PINNED_NODE = join(ROOT, 'local', 'node');
/** Commands of services and operators. The packages of `npm ci --omit=dev` suffice for them, and nothing else is installed. */
const PRODUCT = /^(?:api|worker|operator)\//;

function fail(message) {
  console.error(message);
  process.exit(1);
}

/** The `engines` of package.json: releases with long support, from the first one that undici 8 supports. */
function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 22 ? minor >= 19 : major === 24 || major >= 26;
}

function npm(node, args, cwd) {
  const own = process.env.npm_execpath;
  const [program, first] = own?.endsWith('.js') ? [node, [own]] : ['npm', []];
  const env = { ...process.env, PATH: withFirst(node) };
  const done = spawnSync(program, [...first, ...args, '--loglevel=error'], { cwd, env, stdio: ['ignore', 2, 2] });
  if (done.error)
    fail(`npm packages: cannot run npm (${done.error.message}); install npm, or run \`npm ci\` yourself.`);
  return done.status === 0 ? undefined : `\`npm ${args[0]}\` ended with ${String(done.status ?? done.signal)}`;
}

/** @returns PATH with this Node first, for programs that start `node` */
function withFirst(node) {
  return [dirname(node), process.env.PATH].filter(Boolean).join(delimiter);
}

function supportedNode() {
  if (isSupported(process.versions.node)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const version = JSON.parse(readFileSync(join(PINNED_NODE, 'package.json'), 'utf8')).optionalDependencies[name];
  const problem = `Node ${process.versions.node} at ${process.execPath} is not supported`;
  const remedy = 'install Node 24 from https://nodejs.org and run this again.';
  if (version === undefined) fail(`${problem}, and npm has no ${name}: ${remedy}`);
  const dir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tapedeck', `${name}-${version}`);
  const program = join('node_modules', name, 'bin', 'node');
  if (existsSync(join(dir, program))) return join(dir, program);
  console.error(`Node: ${process.versions.node} is not supported; downloading ${version} with npm (about 50 MB)`);
  const started = Date.now();
  const staging = `${dir}.${randomBytes(6).toString('hex')}.tmp`;
  process.once('exit', () => rmSync(staging, { recursive: true, force: true }));
  cpSync(PINNED_NODE, staging, { recursive: true });
  const trouble = npm(process.execPath, ['ci', '--ignore-scripts'], staging);
  if (trouble !== undefined || !existsSync(join(staging, program))) {
    fail(
      `${problem}, and a supported one could not be downloaded${trouble === undefined ? '' : ` (${trouble})`}: ${remedy}`,
    );
  }
  const says = spawnSync(join(staging, program), ['--version'], { encoding: 'utf8' });
  if (says.stdout?.trim() !== `v${version}`) {
    fail(
      `${problem}, and the one from npm does not run here (${says.error?.message ?? says.stderr.trim()}): ${remedy}`,
    );
  }
  try {
    renameSync(staging, dir);
  } catch (error) {
    // Another process has installed it meanwhile.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  }
  console.error(`Node: ${version} is ready after ${((Date.now() - started) / 1000).toFixed(0)} s`);
  return join(dir, program);
}

/** Compares package-lock.json with the list that npm writes at each installation. Optional packages may be absent. */
function isFresh(target) {
  if (!existsSync(INSTALLED)) return false;
  const installed = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, dev }]) =>
      path === '' ||
      (path in installed
        ? installed[path].version === version
        : optional === true || (dev === true && PRODUCT.test(target))),
  );
}

function isHeld() {
  const text = existsSync(LOCK) ? readFileSync(LOCK, 'utf8') : '';
  // The owner has created the file and is about to write its process ID.
  if (text === '') return true;
  try {
    process.kill(Number(text), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Lets one process run npm at a time, because the exclusive creation of a file is atomic; others wait. */
function withLock(target, work) {
  mkdirSync(dirname(LOCK), { recursive: true });
  for (let waits = 0; ; waits++) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isHeld()) rmSync(LOCK, { force: true });
      if (waits === 0) console.error('npm packages: waiting for another process that installs them');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  const release = () => rmSync(LOCK, { force: true });
  // npm runs synchronously and receives the terminal's signals itself, so this runs after it.
  process.once('exit', release);
  try {
    if (!isFresh(target)) work();
  } finally {
    release();
    process.removeListener('exit', release);
  }
}

function installPackages(node, target) {
  if (isFresh(target)) return;
  withLock(target, () => {
    const missing = !existsSync(join(ROOT, 'node_modules'));
    console.error(`npm packages: ${missing ? 'missing' : 'not those of package-lock.json'}, running npm ci`);
    const started = Date.now();
    // No package that Tapedeck uses needs its install scripts.
    const trouble = npm(node, ['ci', '--ignore-scripts'], ROOT);
    if (trouble !== undefined) fail(`npm packages: ${trouble}; its own message is above.`);
    const pruned = spawnSync(node, [join(ROOT, 'local', 'prune-packages.mjs')], { stdio: 'inherit' });
    if (pruned.status !== 0) fail('npm packages: files that are not needed could not be removed; the error is above.');
    console.error(`npm packages: installed in ${((Date.now() - started) / 1000).toFixed(0)} s`);
  });
}

function runBy(node, args) {
  const env = { ...process.env, PATH: withFirst(node), TAPEDECK_LAUNCHER_PID: String(process.pid) };
  const child = spawn(node, args, { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    if (signal === null) return process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const [target, ...args] = process.argv.slice(2);
if (target === undefined) fail('usage: node local/bootstrap.mjs TARGET [ARG...]');
const node = supportedNode();
installPackages(node, target === '--node' ? (args[0] ?? '') : target);
const file = resolve(ROOT, target);
if (target === '--node') console.log(node);
else if (!existsSync(file)) fail(`${file}: no such file`);
else if (node !== process.execPath) runBy(node, [file, ...args]);
else {
  process.argv = [process.argv[0], file, ...args];
  await import(pathToFileURL(file).href);
}

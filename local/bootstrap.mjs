// node local/bootstrap.mjs TARGET.ts [ARG...]
// Makes the first command after a clone work: checks Node, installs the npm packages when they are missing or stale,
// then runs TARGET in this process. Plain JavaScript without dependencies, since nothing is installed yet.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const INSTALLED = join(ROOT, 'node_modules', '.package-lock.json');
const LOCK = join(ROOT, '.tapedeck', 'npm-ci.lock');
const OLDEST_NODE = [20, 19];

function fail(message) {
  console.error(message);
  process.exit(1);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  fail(
    `Node ${process.versions.node} at ${process.execPath} is too old: Tapedeck needs ${OLDEST_NODE.join('.')} or newer.`,
  );
}

/**
 * Whether node_modules holds what package-lock.json asks for, by the list that npm itself leaves there at the end of an
 * install. So an install made by hand counts too. Optional packages may be absent: most are for other platforms.
 */
function isFresh() {
  if (!existsSync(INSTALLED)) return false;
  const installed = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional }]) =>
      path === '' || (path in installed ? installed[path].version === version : optional === true),
  );
}

/** Whether the process that made the lock still runs; it may have been killed in the middle of its work. */
function isHeld() {
  const text = existsSync(LOCK) ? readFileSync(LOCK, 'utf8') : '';
  // Made but not yet written: its owner is alive and about to write.
  if (text === '') return true;
  try {
    process.kill(Number(text), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Creating a file exclusively is atomic, so only one of two set-ups that start together runs npm; the other waits. */
function withLock(work) {
  mkdirSync(dirname(LOCK), { recursive: true });
  for (let waits = 0; ; waits++) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (!isHeld()) rmSync(LOCK, { force: true });
      if (waits === 0) console.error('npm packages: another set-up is installing them, waiting for it');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  const release = () => rmSync(LOCK, { force: true });
  // npm runs synchronously, so these run only after it; it gets the terminal's own signals.
  process.once('exit', release);
  try {
    if (!isFresh()) work();
  } finally {
    release();
    process.removeListener('exit', release);
  }
}

function installPackages() {
  if (isFresh()) return;
  withLock(() => {
    const missing = !existsSync(join(ROOT, 'node_modules'));
    console.error(`npm packages: ${missing ? 'missing' : 'not those of package-lock.json'}, running npm ci`);
    const started = Date.now();
    // Under npm the very npm that runs us is known; otherwise the one on PATH.
    const npm = process.env.npm_execpath;
    const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
    const done = spawnSync(program, [...first, 'ci', '--loglevel=error'], { cwd: ROOT, stdio: ['ignore', 2, 2] });
    if (done.error)
      fail(`npm packages: cannot run npm (${done.error.message}); install npm, or run \`npm ci\` yourself.`);
    if (done.status !== 0)
      fail(`npm packages: \`npm ci\` ended with ${String(done.status ?? done.signal)}; its own message is above.`);
    console.error(`npm packages: installed in ${((Date.now() - started) / 1000).toFixed(0)} s`);
  });
}

checkNode();
const [target, ...args] = process.argv.slice(2);
if (target === undefined) fail('usage: node local/bootstrap.mjs TARGET.ts [ARG...]');
installPackages();
const file = resolve(ROOT, target);
if (!existsSync(file)) fail(`${file}: no such file`);
process.argv = [process.argv[0], file, ...args];
const { register } = await import('tsx/esm/api');
register();
await import(pathToFileURL(file).href);

// Runs after `npm ci` (package.json, postinstall), and removes what nothing here opens: 118 MB of 358 are Temporal's native
// core for four other platforms and its sources, 35 MB source maps, 7 MB add-ons of another runtime (Bare), and in production
// 60 MB types and sources, which Node refuses to run from here.
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');
const CORE = join(PACKAGES, '@temporalio', 'core-bridge');
const RELEASES = join(CORE, 'releases');
const ARCHITECTURE = { x64: 'x86_64', arm64: 'aarch64' }[process.arch];
const SYSTEM = { linux: 'linux-gnu', darwin: 'apple-darwin', win32: 'windows-msvc' }[process.platform];
const isOwn = (release) => release.startsWith(`${ARCHITECTURE}-`) && release.endsWith(SYSTEM);
const UNREAD = process.env.npm_config_omit?.split(/\s+/).includes('dev') ? /\.(map|bare|[cm]?tsx?)$/ : /\.(map|bare)$/;

const releases = readdirSync(RELEASES);
// Where none is for this platform all stay, and Temporal's own message says what is supported.
const others = releases.some(isOwn) ? releases.filter((release) => !isOwn(release)) : [];
for (const release of others) rmSync(join(RELEASES, release), { recursive: true });
rmSync(join(CORE, 'sdk-core'), { recursive: true, force: true });
for (const file of readdirSync(PACKAGES, { recursive: true })) {
  // The project's own are links to what is outside.
  if (UNREAD.test(file) && !file.startsWith('@tapedeck'))
    rmSync(join(PACKAGES, file), { force: true, recursive: true });
}

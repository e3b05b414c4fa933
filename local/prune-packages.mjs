// Runs after `npm ci` (package.json, postinstall) and removes files that Tapedeck does not use: of 358 MB, 118 MB are Temporal's
// native core for four other platforms and its sources, 35 MB source maps, 7 MB add-ons of another runtime (Bare), and in
// production 60 MB types and sources.
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
// If no core is for this platform, all stay, so that Temporal's own message names the supported platforms.
const others = releases.some(isOwn) ? releases.filter((release) => !isOwn(release)) : [];
for (const release of others) rmSync(join(RELEASES, release), { recursive: true });
rmSync(join(CORE, 'sdk-core'), { recursive: true, force: true });
for (const file of readdirSync(PACKAGES, { recursive: true })) {
  // The packages of the project itself are links to folders outside node_modules.
  if (UNREAD.test(file) && !file.startsWith('@tapedeck'))
    rmSync(join(PACKAGES, file), { force: true, recursive: true });
}

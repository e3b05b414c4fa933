import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { crc32 } from 'node:zlib';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { FEW_SITES } from './yt-dlp.ts';
import { createReleases, type ReleaseEvent, type ReleasesOptions } from '../../sources/vidnet/releases/releases.ts';
import { readFacts } from '../../sources/vidnet/yt-dlp/yt-dlp-facts.ts';
import type { YtdlpSettings, YtdlpStarter } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { inFolder, type RecordedSite } from './recorded-site.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';

/** Files as a zip that compresses nothing, which is what a wheel is. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, body] = [Buffer.from(name), Buffer.from(text)];
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt32LE(crc32(body), 10);
    facts.writeUInt32LE(body.length, 14);
    facts.writeUInt32LE(body.length, 18);
    facts.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, path, body]);
    const position = Buffer.alloc(14);
    position.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, position, path);
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, index, Buffer.from('PK\x05\x06'), end]);
}

export interface MadeRelease {
  /** Such as `2027.1.5`, or with `.dev0`. */
  readonly version: string;
  /** It can't read pages whose address has this in it. */
  readonly cannotRead?: string;
  /** What it calls itself, where that is not its version. */
  readonly callsItself?: string;
  /** Version of the helper that it asks for. */
  readonly helper?: string;
}

/**
 * A wheel of yt-dlp: what the installed one has, under another version and with a fault where one is requested. In front of the
 * messages of each run it says which release it is.
 */
export function ytdlpWheel({ version, cannotRead, callsItself, helper }: MadeRelease): Buffer {
  const requires = helper === undefined ? '' : `Requires-Dist: yt-dlp-ejs==${helper}; extra == 'default'\n`;
  return zip({
    'yt_dlp/__init__.py': [
      'import os, sys',
      'own = os.path.dirname(os.path.abspath(__file__))',
      "real = next(one for one in (os.path.join(path, 'yt_dlp') for path in sys.path) if one != own and os.path.isfile(os.path.join(one, 'YoutubeDL.py')))",
      '__path__.append(real)',
      "exec(compile(open(os.path.join(real, '__init__.py')).read(), real, 'exec'))",
    ].join('\n'),
    'yt_dlp/version.py': [
      `__version__ = '${callsItself ?? version.replace('.dev0', '')}'`,
      'RELEASE_GIT_HEAD = VARIANT = UPDATE_HINT = None',
      "CHANNEL = 'stable'",
      "ORIGIN = 'yt-dlp/yt-dlp'",
      '_pkg_version = __version__',
    ].join('\n'),
    'yt_dlp/__main__.py': [
      'import sys',
      ...FEW_SITES,
      `print('WARNING: [release] ${version}', file=sys.stderr)`,
      `if ${JSON.stringify(cannotRead ?? '')} and any(${JSON.stringify(cannotRead ?? '')} in one for one in sys.argv[1:]):`,
      "    sys.exit('ERROR: [recorded] Unable to extract player response; please report this issue')",
      'import yt_dlp',
      'yt_dlp.main()',
    ].join('\n'),
    [`yt_dlp-${version}.dist-info/METADATA`]: `Metadata-Version: 2.4\nName: yt-dlp\nVersion: ${version}\n${requires}`,
  });
}

/** A wheel of the helper: the installed one under another version. */
export function helperWheel(version: string): Buffer {
  return zip({
    'yt_dlp_ejs/__init__.py': [
      'import os, sys',
      "__path__.extend(one for one in (os.path.join(path, 'yt_dlp_ejs') for path in sys.path[1:]) if os.path.isdir(one))",
      `version = '${version}'`,
      '',
    ].join('\n'),
  });
}

export interface IndexedWheel {
  readonly name: string;
  readonly version: string;
  readonly body: Buffer;
  /** Default: the right one. */
  readonly sha256?: string;
  readonly yanked?: boolean;
}

/** An index of Python packages (PEP 691), with the wheels beside it. */
export class PackageIndex {
  readonly wheels: IndexedWheel[] = [];
  readonly requests: string[] = [];

  readonly listener: RequestListener = (request, response) => {
    const url = request.url ?? '';
    this.requests.push(url);
    const file = this.wheels.find((wheel) => url === `/files/${fileOf(wheel)}`);
    if (file !== undefined) {
      response.end(file.body);
      return;
    }
    const name = /^\/simple\/([\w-]+)\/$/.exec(url)?.[1];
    const wheels = this.wheels.filter((wheel) => wheel.name === name);
    response.statusCode = wheels.length === 0 ? 404 : 200;
    if (request.headers.accept !== 'application/vnd.pypi.simple.v1+json') {
      response.end('<!DOCTYPE html>');
      return;
    }
    const files = wheels.map((wheel) => ({
      filename: fileOf(wheel),
      url: `../../files/${fileOf(wheel)}`,
      hashes: { sha256: wheel.sha256 ?? createHash('sha256').update(wheel.body).digest('hex') },
      yanked: wheel.yanked === true ? 'withdrawn' : false,
    }));
    response.end(JSON.stringify({ meta: { 'api-version': '1.1' }, name, files }));
  };

  add(made: MadeRelease, more: Partial<IndexedWheel> = {}): void {
    this.wheels.push({ name: 'yt-dlp', version: made.version, body: ytdlpWheel(made), ...more });
  }
}

function fileOf({ name, version }: IndexedWheel): string {
  return `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`;
}

/** Older than all releases of the tests, whichever is installed. */
export const PINNED = '2026.10.26';

/** Pages that any release can read, unless a test says otherwise. */
export function setPages(site: RecordedSite): void {
  for (const name of ['first', 'second', 'third']) {
    site.set(`/recorded/${name}`, { body: { id: name, title: `the ${name} page`, formats: [] } });
  }
}

/** An index, and a worker that uses it. */
export async function startBench(site: RecordedSite, more: Partial<ReleasesOptions> = {}) {
  const index = new PackageIndex();
  const { url, stop } = await serveOnLoopback(index.listener);
  onTestFinished(stop);
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-releases-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const indexUrl = `${url}/simple`;
  return { index, folder, indexUrl, ...workerOf(site, { folder, indexUrl, ...more }) };
}

export function workerOf(
  site: RecordedSite,
  options: Pick<ReleasesOptions, 'folder' | 'indexUrl'> & Partial<ReleasesOptions>,
) {
  const events: ReleaseEvent[] = [];
  const settings = { ...site.settings(), starter: undefined };
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const releases = createReleases({
    ...{ channel: 'stable', settings, pinnedVersion: PINNED, signal: closing.signal },
    ...{ onEvent: (event) => events.push(event), ...options },
  });
  const eventLines = (): string[] => events.map(({ what, version = '' }) => `${what} ${version}`.trim());
  const read = (page: string, starter?: YtdlpStarter) =>
    readPage(
      { ...settings, starter, chooseProgram: releases.chooseOrPinned },
      page.startsWith('http') ? page : `${site.url}/recorded/${page}`,
    );
  return { releases, settings, events, eventLines, read };
}

/** Reads a page as a job does. @returns its title, and the release that read it */
async function readPage(settings: YtdlpSettings, url: string) {
  return inFolder(async (call) => {
    const { facts, warnings } = await readFacts(settings, call, {
      ...{ subject: 'video', url, args: ['--ignore-no-formats-error'], template: 'video:%(title)j' },
      schema: z.string(),
    });
    return { title: facts, by: /\[release\] (\S+)/.exec(warnings)?.[1] ?? 'pinned' };
  });
}

/** A page that is sent when a test says so; until then blanks keep its reader waiting. */
export async function serveSlowPage(): Promise<{ url: string; isRequested: () => boolean; send: () => void }> {
  let send = (): void => undefined;
  let isRequested = false;
  const { url, stop } = await serveOnLoopback((_request, response) => {
    isRequested = true;
    const timer = setInterval(() => response.write(' '), 500);
    send = () => {
      clearInterval(timer);
      response.end(JSON.stringify({ id: 'slow', title: 'the slow page', formats: [] }));
    };
  });
  onTestFinished(stop);
  return { url: `${url}/recorded/slow`, isRequested: () => isRequested, send: () => send() };
}

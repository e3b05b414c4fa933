import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createReleases, type ReleaseEvent, type ReleasesOptions } from '../../sources/vidnet/releases/releases.ts';
import { readFacts } from '../../sources/vidnet/yt-dlp/yt-dlp-facts.ts';
import type { YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { inFolder, type RecordedSite } from './recorded-site.ts';
import { PackageIndex } from './releases.ts';
import { serve } from './serve.ts';

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
  const { url, stop } = await serve(index.listener);
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
  const cold = { ...site.settings(), starter: undefined };
  const releases = createReleases({
    ...{ channel: 'stable', settings: cold, pinnedVersion: PINNED, onEvent: (event) => events.push(event) },
    ...options,
  });
  onTestFinished(() => releases.close());
  const told = (): string[] => events.map((event) => `${event.what} ${'version' in event ? event.version : ''}`.trim());
  const read = (page: string) =>
    readPage({ ...cold, releases }, page.startsWith('http') ? page : `${site.url}/recorded/${page}`);
  return { releases, events, told, read };
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
export async function serveSlowPage(): Promise<{ url: string; isAsked: () => boolean; send: () => void }> {
  let send = (): void => undefined;
  let isAsked = false;
  const { url, stop } = await serve((_request, response) => {
    isAsked = true;
    const timer = setInterval(() => response.write(' '), 500);
    send = () => {
      clearInterval(timer);
      response.end(JSON.stringify({ id: 'slow', title: 'the slow page', formats: [] }));
    };
  });
  onTestFinished(stop);
  return { url: `${url}/recorded/slow`, isAsked: () => isAsked, send: () => send() };
}

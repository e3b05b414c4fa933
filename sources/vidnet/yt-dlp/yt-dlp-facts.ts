import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { SourceCall } from '../../source-call-options.ts';
import { readClipped, readFileBy } from './read-file.ts';
import { runYtdlp, type YtdlpRunSpec } from './run-yt-dlp.ts';
import { subjectError } from './yt-dlp-failures.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

/** Holds a day of captions or 100,000 comments, which are parsed in memory. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const FILE = 'facts.json';

interface PageRun extends Pick<YtdlpRunSpec, 'subject' | 'args' | 'extractorArgs' | 'reading'> {
  readonly url: string;
  /** yt-dlp's output template, which must give JSON, after the event that fills it: `video:…`. */
  readonly template: string;
}

/**
 * Writes yt-dlp's facts about a page into a file, whose size is limited, unlike stdout. No media are downloaded.
 *
 * @returns a new folder and the file in it, which is empty when the page has no such facts, and the warnings of the run
 */
export async function writeFacts(
  settings: YtdlpSettings,
  call: SourceCall,
  { args, template, ...page }: PageRun,
): Promise<{ path: string; warnings: string; folder: string }> {
  // yt-dlp appends to a file that an earlier call has left.
  const folder = await mkdtemp(join(call.folder, 'yt-dlp-'));
  const path = join(folder, FILE);
  // yt-dlp creates no file for a page without facts.
  await writeFile(path, '');
  // Without --no-check-formats, yt-dlp requests media to check uncertain formats, by any protocol.
  const output = ['--skip-download', '--no-check-formats', '--output', 'facts.%(ext)s'];
  const run = { ...page, args: [...args, ...output, '--print-to-file', template, FILE], maxFileBytes: MAX_TEXT_BYTES };
  return { path, warnings: await runYtdlp(settings, { ...call, folder }, run), folder };
}

/** @throws JobError, such as `unsupported` when the page has no such facts */
export async function readFacts<Facts>(
  settings: YtdlpSettings,
  call: SourceCall,
  { schema, ...what }: PageRun & { readonly schema: z.ZodType<Facts> },
): Promise<{ facts: Facts; warnings: string; folder: string }> {
  const { path, warnings, folder } = await writeFacts(settings, call, what);
  for await (const value of readFileBy(readClipped, { path }, call)) {
    const facts = schema.safeParse(value);
    if (facts.success) return { facts: facts.data, warnings, folder };
    throw subjectError('pageUnreadable', what.subject, facts.error);
  }
  throw subjectError('pageUnreadable', what.subject);
}

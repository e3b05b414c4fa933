import { SUBJECT_VALUES } from './yt-dlp-failures.ts';
import { failureFor } from '../../../contract/failures.ts';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { JobError } from '../../../runtime/job-error.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { readClipped } from './read-clipped.ts';
import { readFileBy } from './read-file.ts';
import { runYtdlp, type YtdlpRunSpec } from './run-yt-dlp.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

/** A day of captions or 100,000 comments; what is read is parsed in memory. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const FILE = 'facts.json';

export interface PageRun extends Pick<YtdlpRunSpec, 'subject' | 'args' | 'extractorArgs' | 'reading'> {
  readonly url: string;
  /** yt-dlp's output template, which must give JSON, with the moment at which it is filled: `video:…`. */
  readonly template: string;
}

export interface FactsRun<Facts> extends PageRun {
  readonly schema: z.ZodType<Facts>;
}

/**
 * Has yt-dlp write what it knows of a page into a file, downloading no media. A file and not stdout: a file has a limit that
 * holds.
 *
 * @param call its folder gets one more in it
 * @returns the folder, the file in it, which is empty when the page holds nothing of the kind, and the tail of stderr, which
 * holds the warnings
 * @throws JobError
 */
export async function writeFacts(
  settings: YtdlpSettings,
  call: SourceCall,
  { subject, url, extractorArgs, reading, args, template }: PageRun,
): Promise<{ path: string; warnings: string; folder: string }> {
  // yt-dlp appends: an earlier call may have left a file of the same name.
  const folder = await mkdtemp(join(call.folder, 'yt-dlp-'));
  const path = join(folder, FILE);
  // yt-dlp makes none of a page that holds nothing.
  await writeFile(path, '');
  // A name of our own: otherwise yt-dlp makes one of the title. Without the second argument it tries a format that its
  // extractor doubts, by whichever protocol.
  const output = [
    ...['--skip-download', '--no-check-formats', '--output', 'facts.%(ext)s'],
    ...['--print-to-file', template, FILE],
  ];
  const warnings = await runYtdlp(
    settings,
    { ...call, folder },
    {
      ...{ subject, url, reading, args: [...args, ...output], maxFileBytes: MAX_TEXT_BYTES },
      ...(extractorArgs === undefined ? {} : { extractorArgs }),
    },
  );
  return { path, warnings, folder };
}

/**
 * Reads what yt-dlp knows of a page, as {@link writeFacts} has it written.
 *
 * @throws JobError; `unsupported` when the page holds nothing of the kind
 */
export async function readFacts<Facts>(
  settings: YtdlpSettings,
  call: SourceCall,
  { schema, ...what }: FactsRun<Facts>,
): Promise<{ facts: Facts; warnings: string; folder: string }> {
  const { path, warnings, folder } = await writeFacts(settings, call, what);
  for await (const value of readFileBy(readClipped, { path }, call)) {
    const facts = schema.safeParse(value);
    if (facts.success) return { facts: facts.data, warnings, folder };
    throw unreadable(what.subject, facts.error);
  }
  throw unreadable(what.subject, undefined);
}

export function unreadable(subject: YtdlpRunSpec['subject'], cause: unknown): JobError {
  return new JobError(failureFor('pageUnreadable', SUBJECT_VALUES[subject]), { cause });
}

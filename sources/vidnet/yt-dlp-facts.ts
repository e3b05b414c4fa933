import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { JobError } from '../../contract/job-error.ts';
import type { SourceCall } from '../call.ts';
import { runYtdlp, type YtdlpRun } from './run-yt-dlp.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

/** A day of captions or 100,000 comments; what is read is parsed in memory. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const FILE = 'facts.json';

export interface FactsRun<Facts> extends Pick<YtdlpRun, 'subject' | 'args' | 'extractorArgs'> {
  readonly url: string;
  /** yt-dlp's output template, which must give JSON, with the moment at which it is filled: `video:…`. */
  readonly template: string;
  readonly schema: z.ZodType<Facts>;
}

/**
 * Reads what yt-dlp knows of a page, downloading no media. The facts come in a file and not through stdout: a file has
 * a limit that holds.
 *
 * @param call its folder gets one more in it, which is handed on to `then`
 * @returns the facts, and the tail of stderr, which holds the warnings
 * @throws JobError; `unsupported` when the page holds nothing of the kind
 */
export async function readFacts<Facts>(
  settings: YtdlpSettings,
  call: SourceCall,
  what: FactsRun<Facts>,
): Promise<{ facts: Facts; warnings: string; folder: string }> {
  // yt-dlp appends: an earlier call may have left a file of the same name.
  const folder = await mkdtemp(join(call.folder, 'yt-dlp-'));
  const { subject, url, extractorArgs, args, template, schema } = what;
  // A name of our own: otherwise yt-dlp makes one of the title. Without the second argument it tries a format that its
  // extractor doubts, by whichever protocol.
  const output = [
    '--skip-download',
    '--no-check-formats',
    '--output',
    'facts.%(ext)s',
    '--print-to-file',
    template,
    FILE,
  ];
  const warnings = await runYtdlp(
    settings,
    { ...call, folder },
    {
      ...{ subject, url, args: [...args, ...output], maxFileBytes: MAX_TEXT_BYTES },
      ...(extractorArgs === undefined ? {} : { extractorArgs }),
    },
  );
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => '');
  const facts = schema.safeParse(parseJson(text));
  if (!facts.success) {
    throw new JobError('unsupported', `The page of the ${subject} cannot be read.`, { cause: facts.error });
  }
  return { facts: facts.data, warnings, folder };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A whole number, not negative; anything else counts as not told. */
export const countSchema = z.number().int().nonnegative().optional().catch(undefined);

/** A text that is not empty; anything else counts as not told. */
export const textSchema = z.string().min(1).optional().catch(undefined);

/** An http(s) URL; anything else counts as not told. */
export const linkSchema = z
  .url({ protocol: /^https?$/ })
  .max(2_048)
  .optional()
  .catch(undefined);

/** @returns `YYYY-MM-DD HH:MM:SS` in UTC */
export function formatTimestamp(epochSeconds: number | undefined): string | undefined {
  if (epochSeconds === undefined || Math.abs(epochSeconds) > 8.64e12) return undefined;
  return new Date(epochSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** The beginning of a text that has no bound of its own. A character of two halves is not cut apart. */
export function bounded(text: string, maxChars: number): string {
  return text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
}

import { JobError } from '../../../runtime/job-error.ts';

export interface ExtractorArgs {
  readonly extractor: string;
  readonly args: Readonly<Record<string, readonly string[]>>;
}

/**
 * Merges the operator's arguments with those that a run requires into one value of `--extractor-args` per extractor, because
 * yt-dlp uses only the last value of an extractor. Required arguments replace the operator's; the values of `skip` are combined.
 *
 * @param operator see `YtdlpSettings.extractorArgs`
 * @throws JobError `tool_missing` when the operator's text is invalid
 */
export function mergeExtractorArgs(
  operator: string | undefined,
  required: readonly ExtractorArgs[],
): readonly string[] {
  const merged = new Map<string, Map<string, readonly string[]>>();
  for (const { extractor, args } of [...parse(operator ?? ''), ...required]) {
    const known = merged.get(extractor) ?? new Map<string, readonly string[]>();
    for (const [name, values] of Object.entries(args))
      known.set(name, name === 'skip' ? [...(known.get(name) ?? []), ...values] : values);
    merged.set(extractor, known);
  }
  return [...merged].map(([extractor, args]) => {
    const list = [...args].map(([name, values]) => (values.length === 0 ? name : `${name}=${values.join(',')}`));
    return `${extractor}:${list.join(';')}`;
  });
}

function parse(text: string): readonly ExtractorArgs[] {
  return (
    text
      .trim()
      // A space before `name:argument` begins the next extractor; a URL's colon is followed by slashes.
      .split(/(?<!\s)\s+(?=[\w-]+:[\w-]+(?:[=;]|\s|$))/)
      .filter((part) => part !== '')
      .map((part) => {
        const [, extractor, args] = /^([\w-]+):(.*)$/s.exec(part) ?? [];
        if (extractor === undefined || args === undefined) throw new JobError('extractorArgsMalformed');
        return { extractor: extractor.toLowerCase(), args: Object.fromEntries(parseArgs(args)) };
      })
  );
}

/** Normalises names as yt-dlp does. Values are not split, because they may have escaped commas. */
function parseArgs(text: string): readonly (readonly [string, readonly string[]])[] {
  return text
    .split(';')
    .filter((arg) => arg.trim() !== '')
    .map((arg) => {
      const [name = '', ...rest] = arg.split('=');
      const value = rest.join('=').trim();
      return [name.trim().toLowerCase().replaceAll('-', '_'), value === '' ? [] : [value]] as const;
    });
}

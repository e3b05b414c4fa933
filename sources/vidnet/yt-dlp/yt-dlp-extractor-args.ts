import { JobError } from '../../../runtime/job-error.ts';

/** The name of an extractor and its arguments with their values. */
export interface ExtractorArgs {
  readonly extractor: string;
  readonly args: Readonly<Record<string, readonly string[]>>;
}

type Merged = Map<string, Map<string, readonly string[]>>;

/**
 * The values of `--extractor-args`, one per extractor. yt-dlp takes the last one of an extractor and forgets those
 * before it, so what the operator has set and what a run needs must be one.
 *
 * @param operator see `YtdlpSettings.extractorArgs`
 * @param required arguments of this service, which replace the operator's; the values of `skip` are combined
 * @throws JobError `tool_missing` when the operator's are none
 */
export function mergeExtractorArgs(
  operator: string | undefined,
  required: readonly ExtractorArgs[],
): readonly string[] {
  const merged: Merged = new Map();
  for (const { extractor, args } of [...parse(operator ?? ''), ...required]) {
    const known = merged.get(extractor) ?? new Map<string, readonly string[]>();
    for (const [name, values] of Object.entries(args)) {
      known.set(name, name === 'skip' ? [...(known.get(name) ?? []), ...values] : values);
    }
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
        if (extractor === undefined || args === undefined) {
          throw new JobError('extractorArgsMalformed');
        }
        return { extractor: extractor.toLowerCase(), args: Object.fromEntries(parseArgs(args)) };
      })
  );
}

/** Names as yt-dlp compares them; the values stay one piece, since they may hold escaped commas. */
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

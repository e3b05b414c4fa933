import type { OptionName } from './command-table.ts';
import { UsageError } from './exit-codes.ts';

/**
 * @param textOf reads an option
 * @returns the fields of a request that say how the file of a page's media is made
 */
export function mediaOptionsIn(
  textOf: (name: OptionName) => string | undefined,
  { isExact, awaitsStart }: { readonly isExact: boolean; readonly awaitsStart: boolean },
): Readonly<Record<string, unknown>> {
  const numberIn = (name: 'max-height' | 'bit-rate' | 'seconds'): number | undefined => {
    const text = textOf(name);
    if (text !== undefined && !/^\d{1,5}$/.test(text)) throw new UsageError(`--${name}: must be a number.`);
    return text === undefined ? undefined : Number(text);
  };
  const listOf = (name: 'embed' | 'mark' | 'remove'): readonly string[] | undefined => textOf(name)?.split(',');
  const [mark, remove] = [listOf('mark'), listOf('remove')];
  const live = { from: textOf('live-from'), seconds: numberIn('seconds'), until: textOf('until') };
  return {
    container: textOf('container'),
    codec: textOf('codec'),
    max_height: numberIn('max-height'),
    bit_rate: numberIn('bit-rate'),
    sound_language: textOf('sound'),
    section: sectionOf(textOf('section'), isExact),
    embed: listOf('embed'),
    sponsorblock: mark === undefined && remove === undefined ? undefined : { mark, remove },
    live: Object.values(live).some((value) => value !== undefined) ? { ...live, from: live.from ?? 'now' } : undefined,
    wait_for_start: awaitsStart || undefined,
    file_name: textOf('name'),
  };
}

function sectionOf(text: string | undefined, exact: boolean): object | undefined {
  if (text === undefined) {
    if (exact) throw new UsageError('--exact: give a --section, too.');
    return undefined;
  }
  const [, from, to] = /^([\d:.]*)-([\d:.]*)$/.exec(text) ?? [];
  if (from === undefined || text === '-') return { chapter: text, ...(exact && { exact }) };
  return { from: timeOf(from), to: timeOf(to ?? ''), ...(exact && { exact }) };
}

/** @returns seconds, or a time with colons, as the service reads both */
function timeOf(text: string): number | string | undefined {
  if (text === '') return undefined;
  return text.includes(':') ? text : Number(text);
}

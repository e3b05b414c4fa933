import { z } from 'zod';
import type { MediaInfoPage } from '../../../contract/kinds/media-info.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { textSchema } from '../fact-schemas.ts';
import { flatEntries } from './yt-dlp-flat-list.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

const entrySchema = z.object({ id: textSchema, url: textSchema, webpage_url: textSchema });

/** Counts the entries of a list that states no number, for some time. @throws JobError when the list cannot be read */
export async function countEntries(
  settings: YtdlpSettings,
  { url, subject, withinMs }: MediaInfoPage & { readonly withinMs: number },
  call: SourceCall,
): Promise<{ readonly count: number; readonly isMinimum: boolean }> {
  const enough = AbortSignal.timeout(withinMs);
  const signal = AbortSignal.any([call.signal, enough]);
  const list = { url, subject, schema: entrySchema, args: ['--ignore-no-formats-error'] };
  // Lists of several tabs, and lists that grow meanwhile, repeat entries.
  const seen = new Set<string>();
  try {
    for await (const entry of flatEntries(settings, list, { ...call, signal }))
      seen.add(entry.id ?? entry.url ?? entry.webpage_url ?? `entry ${String(seen.size)}`);
    return { count: seen.size, isMinimum: false };
  } catch (error) {
    if (!enough.aborted || call.signal.aborted) throw error;
    return { count: seen.size, isMinimum: true };
  }
}

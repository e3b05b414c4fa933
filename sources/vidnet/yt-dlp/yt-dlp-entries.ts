import type { MediaInfoPage } from '../../../contract/kinds/media-info.ts';
import type { SourceCall } from '../../source-call-options.ts';
import { LONG_RUN_CPU_SECONDS } from './page-reading.ts';
import { runYtdlp } from './run-yt-dlp.ts';
import { MAX_TEXT_BYTES } from './yt-dlp-facts.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

const PREFIX = 'TAPEDECK-COUNT ';

/** Counts the entries of a list that states no number, for some time. @throws JobError when the list cannot be read */
export async function countEntries(
  settings: YtdlpSettings,
  { url, subject, withinMs }: MediaInfoPage & { readonly withinMs: number },
  call: SourceCall,
): Promise<{ readonly count: number; readonly isMinimum: boolean }> {
  const enough = AbortSignal.timeout(withinMs);
  // Lists of several tabs, and lists that grow meanwhile, repeat entries.
  const seen = new Set<string>();
  let isMinimum = false;
  await runYtdlp(
    settings,
    { ...call, signal: AbortSignal.any([call.signal, enough]) },
    {
      subject,
      url,
      // With --no-ignore-errors, a failed page is not left out of the list.
      args: [
        ...['--flat-playlist', '--lazy-playlist', '--no-ignore-errors', '--ignore-no-formats-error'],
        ...['--print', `video:${PREFIX}%(id,url,webpage_url)s`],
      ],
      maxFileBytes: MAX_TEXT_BYTES,
      reading: { maxCpuSeconds: LONG_RUN_CPU_SECONDS },
      onStdoutLine: (line) => {
        if (line.startsWith(PREFIX)) seen.add(line === `${PREFIX}NA` ? `${line} ${String(seen.size)}` : line);
      },
    },
  ).catch((error: unknown) => {
    if (!enough.aborted || call.signal.aborted) throw error;
    isMinimum = true;
  });
  return { count: seen.size, isMinimum };
}

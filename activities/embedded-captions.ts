import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { threeLetterCode } from '../contract/text/language-tags.ts';
import { srtWriter, type TimedLine } from '../contract/text/transcript-formats.ts';
import type { OutputFile } from '../media/output-file.ts';
import type { Span } from '../media/time-spans.ts';
import { readCaptions } from '../sources/vidnet/captions/read-captions.ts';
import { readFileBy } from '../sources/vidnet/yt-dlp/read-file.ts';

/**
 * Writes captions with the times of a file that has only a part of the recording.
 *
 * @param paths files `captions.LANGUAGE.vtt`
 * @param onFile converts times of the recording into those of the file, and leaves out what the file does not have
 */
export async function embeddedCaptions(
  paths: readonly string[],
  onFile: <Kind extends Span>(spans: readonly Kind[]) => readonly Kind[],
  call: { readonly signal: AbortSignal },
): Promise<NonNullable<OutputFile['captions']>> {
  const written: { path: string; language: string }[] = [];
  for (const path of paths) {
    const [, tag = '', format] = /^captions\.(.+)\.(\w+)$/.exec(basename(path)) ?? [];
    if (format !== 'vtt' && format !== 'srt') continue;
    const lines: (TimedLine & Span)[] = [];
    for await (const page of readFileBy(readCaptions, { path, format, kind: 'manual' }, call)) {
      for (const line of page)
        lines.push({ ...line, start: line.startSeconds, end: line.startSeconds + line.durationSeconds });
    }
    const writer = srtWriter();
    const cues = onFile(lines).flatMap(({ start, end, ...line }) => [
      ...writer.line({ ...line, startSeconds: start, durationSeconds: end - start }),
    ]);
    if (cues.length === 0) continue;
    await writeFile(`${path}.srt`, cues.join(''));
    written.push({ path: `${path}.srt`, language: threeLetterCode(tag) ?? 'und' });
  }
  return written;
}

import { failureFor } from '../../../contract/failures.ts';
import { readFileSync } from 'node:fs';
import { partsOfLine } from '../../../contract/text/caption-lines.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { CAPTION_LINES_MAX, CAPTIONS_MAX_BYTES, CAPTIONS_MAX_MEGABYTES } from '../../../contract/request-limits.ts';
import type { CaptionLine, CaptionTrack } from '../../../contract/kinds/transcript-facts.ts';
import { parseCaptions, type CaptionFormat } from './parse-captions.ts';

const PAGE_LINES = 500;

export interface CaptionsFile {
  readonly path: string;
  readonly format: CaptionFormat;
  readonly kind: CaptionTrack['kind'];
}

/**
 * Reads the lines of a file in pages, and splits long lines.
 *
 * @throws JobError `upstream_error` for another format, `too_large` for more text than a day of speech
 */
export function* readCaptions({ path, format, kind }: CaptionsFile): Generator<readonly CaptionLine[]> {
  let page: CaptionLine[] = [];
  let [bytes, count] = [0, 0];
  for (const whole of parseCaptions(readFileSync(path, 'utf8'), format, kind)) {
    bytes += Buffer.byteLength(whole.text);
    if (bytes > CAPTIONS_MAX_BYTES)
      throw new JobError(failureFor('captionsTooMuchText', { maxMegabytes: CAPTIONS_MAX_MEGABYTES }));
    for (const line of partsOfLine(whole)) {
      count += 1;
      if (count > CAPTION_LINES_MAX)
        throw new JobError(failureFor('captionsTooManyLines', { maxLines: CAPTION_LINES_MAX.toLocaleString('en') }));
      page.push(line);
      if (page.length < PAGE_LINES) continue;
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

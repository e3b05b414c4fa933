import { failureFor } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';

const NEWLINE = 0x0a;

export interface LineLimits {
  readonly maxLineBytes: number;
  readonly maxBodyBytes: number;
}

/** Reads the lines of a body while it arrives, without empty ones. @throws JobError `upstream_error` beyond the limits */
export async function* linesOf(body: AsyncIterable<Uint8Array>, limits: LineLimits): AsyncGenerator<string> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let bodyBytes = 0;
  const take = (): string => {
    const line = Buffer.concat(held).toString('utf8').trim();
    held = [];
    heldBytes = 0;
    return line;
  };
  for await (const chunk of body) {
    bodyBytes += chunk.length;
    if (bodyBytes > limits.maxBodyBytes) throw tooLarge('snapshot', limits.maxBodyBytes);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      held.push(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== '') yield line;
    }
    held.push(chunk.subarray(start));
    heldBytes += chunk.length - start;
    if (heldBytes > limits.maxLineBytes) throw tooLarge('record', limits.maxLineBytes);
  }
  const last = take();
  if (last !== '') yield last;
}

function tooLarge(what: string, maxBytes: number): JobError {
  return new JobError(failureFor('datasetPartTooLarge', { part: what, maxBytes }));
}

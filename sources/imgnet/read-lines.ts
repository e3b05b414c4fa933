import { failureFor } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';

const NEWLINE = 0x0a;

export interface LineLimits {
  readonly maxLineBytes: number;
  readonly maxBodyBytes: number;
}

/** Reads the lines of a body while it arrives, without empty ones. @throws JobError `upstream_error` beyond the limits */
export async function* linesOf(body: AsyncIterable<Uint8Array>, limits: LineLimits): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = '';
  let heldBytes = 0;
  let bodyBytes = 0;
  for await (const chunk of body) {
    bodyBytes += chunk.length;
    if (bodyBytes > limits.maxBodyBytes) throw tooLarge('snapshot', limits.maxBodyBytes);
    const [rest = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    held += rest;
    for (const line of lines) {
      if (held.trim() !== '') yield held.trim();
      held = line;
    }
    const newline = chunk.lastIndexOf(NEWLINE);
    heldBytes = newline < 0 ? heldBytes + chunk.length : chunk.length - newline - 1;
    if (heldBytes > limits.maxLineBytes) throw tooLarge('record', limits.maxLineBytes);
  }
  held += decoder.decode();
  if (held.trim() !== '') yield held.trim();
}

function tooLarge(what: string, maxBytes: number): JobError {
  return new JobError(failureFor('datasetPartTooLarge', { part: what, maxBytes }));
}

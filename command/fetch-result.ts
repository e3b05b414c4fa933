import { setMaxListeners } from 'node:events';
import { TapedeckError, type ErrorCode } from '../clients/typescript/src/index.ts';
import { jobIdsOf } from './read-answer.ts';
import { deliver } from './deliver.ts';
import { EXIT, exitCodeOf, sentenceOf } from './exit-codes.ts';
import { obtain, type FetchRequest, type Deps, type Outcome } from './obtain.ts';
import { jsonText } from './printable.ts';
import type { SaveTarget } from './download-targets.ts';

/** These failures stop the other requests: the service is unreachable or refuses the key. Missing credit does not, because earlier results stay available. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['unreachable', 'unexpected_answer', 'unauthorized', 'forbidden']);

export type FetchAll = Omit<FetchRequest, 'text'> & { readonly texts: readonly string[]; readonly target: SaveTarget };

/** Fetches all given subjects, several at once. @returns the highest exit code of the results */
export async function fetchAll(deps: Deps, { texts, ...fetchRequest }: FetchAll): Promise<number> {
  const { signal } = deps.service;
  // Each concurrent fetch adds several listeners to the signal.
  setMaxListeners(0, signal);
  const waiting = [...texts];
  const codes: number[] = [];
  const showTotal = (): void => {
    if (texts.length > 1) deps.display.total(codes.length, texts.length);
  };
  showTotal();
  const next = async (): Promise<void> => {
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      signal.throwIfAborted();
      const { code, isFinal } = await fetchOne(deps, { ...fetchRequest, text });
      codes.push(code);
      showTotal();
      if (isFinal && waiting.length > 0) {
        deps.display.note(`${String(waiting.length)} more were not requested.`, 'problem');
        waiting.length = 0;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: fetchRequest.options.concurrency }, next));
  // All fetches must end first, so that they remove their partial files.
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (codes.length > 1) {
    const good = codes.filter((code) => code === EXIT.success).length;
    deps.display.note(`${String(good)} of ${String(codes.length)} succeeded`, 'dim');
  }
  return Math.max(EXIT.success, ...codes);
}

/** @returns the exit code, and whether the other requests would fail in the same way */
async function fetchOne(
  deps: Deps,
  fetchRequest: FetchRequest & { readonly target: SaveTarget },
): Promise<{ readonly code: number; readonly isFinal: boolean }> {
  const { text, options, target } = fetchRequest;
  const { display, service } = deps;
  const printJson = (line: object): void => {
    if (options.isJson) display.print(jsonText({ input: text, ...line }));
  };
  try {
    const outcome = await obtain(deps, fetchRequest);
    const files = await deliver(deps, fetchRequest, { outcome, target });
    const { state, answer, failure } = outcome;
    printJson({ status: state, ids: jobIdsOf(answer), ...(files.length === 0 ? {} : { files }), result: answer });
    if (failure !== undefined) display.note(`${text}: ${failure}`, 'problem');
    if (state === 'pending' && !options.isJson) printJobs(deps, text, outcome);
    return { code: state === 'failed' ? EXIT.failure : EXIT.success, isFinal: false };
  } catch (error) {
    service.signal.throwIfAborted();
    const code = exitCodeOf(error);
    const known = error instanceof TapedeckError ? { code: error.code, details: error.details } : {};
    printJson({ status: 'error', error: { message: sentenceOf(error), ...known } });
    const sentence = sentenceOf(error);
    display.note(sentence.startsWith(text) ? sentence : `${text}: ${sentence}`, 'problem');
    return { code, isFinal: error instanceof TapedeckError && FINAL.has(error.code) };
  }
}

function printJobs({ display }: Deps, text: string, { answer }: Outcome): void {
  for (const id of jobIdsOf(answer)) display.print(id);
  display.note(`${text}: the job runs; the same command without --no-wait fetches its result`, 'dim');
}

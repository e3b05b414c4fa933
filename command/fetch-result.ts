import { setMaxListeners } from 'node:events';
import { TapedeckError, type ErrorCode } from '../clients/typescript/src/index.ts';
import { jobIdsOf } from './read-answer.ts';
import { deliver, type SavedRequest } from './deliver.ts';
import { EXIT, exitCodeOf, sentenceOf } from './exit-codes.ts';
import { obtain, type Deps, type Outcome } from './obtain.ts';
import { jsonText } from './printable.ts';

/** These failures stop the other requests: the service is unreachable or refuses the key. Missing credit does not, because earlier results stay available. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['unreachable', 'unexpected_answer', 'unauthorized', 'forbidden']);

/** A request for several subjects. */
export type RequestForAll = Omit<SavedRequest, 'text'> & { readonly texts: readonly string[] };

/** Fetches all given subjects, several at once. @returns the highest exit code of the results */
export async function fetchAll(deps: Deps, { texts, ...fetchRequest }: RequestForAll): Promise<number> {
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
  fetchRequest: SavedRequest,
): Promise<{ readonly code: number; readonly isFinal: boolean }> {
  const { text, options } = fetchRequest;
  const { display, service } = deps;
  try {
    return { code: await deliverOutcome(deps, fetchRequest, await obtain(deps, fetchRequest)), isFinal: false };
  } catch (error) {
    service.signal.throwIfAborted();
    const known = error instanceof TapedeckError ? { code: error.code, details: error.details } : {};
    const message = sentenceOf(error);
    if (options.isJson) display.print(jsonText({ input: text, status: 'error', error: { message, ...known } }));
    display.note(message.startsWith(text) ? message : `${text}: ${message}`, 'problem');
    return { code: exitCodeOf(error), isFinal: error instanceof TapedeckError && FINAL.has(error.code) };
  }
}

/** Saves or prints the result of a request, and why it is not there. @returns the exit code */
export async function deliverOutcome(deps: Deps, fetchRequest: SavedRequest, outcome: Outcome): Promise<number> {
  const { text, options } = fetchRequest;
  const { display } = deps;
  const { state, answer, failure } = outcome;
  const ids = jobIdsOf(answer);
  const files = await deliver(deps, fetchRequest, outcome);
  if (options.isJson) {
    const line = { input: text, status: state, ids, ...(files.length > 0 && { files }), result: answer };
    display.print(jsonText(line));
  }
  if (failure !== undefined) display.note(`${text}: ${failure}`, 'problem');
  if (state === 'pending' && !options.isJson) {
    for (const id of ids) display.print(id);
    display.note(`${text}: the job runs; the same command without --no-wait fetches its result`, 'dim');
  }
  return state === 'failed' ? EXIT.failure : EXIT.success;
}

import { ERROR_TABLE } from '../contract/http/api-error.ts';
import { TapedeckError, type ErrorCode } from '../clients/typescript/src/index.ts';

/** The exit codes of the program. For several results the highest code is used. */
export const EXIT = {
  success: 0,
  /** A job failed, or the requested result does not exist. */
  failure: 1,
  usage: 2,
  /** The service cannot be reached or refuses the key. */
  refused: 3,
} as const;

/** Thrown when the command line is wrong. The message explains the mistake. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export class FailedError extends Error {
  override readonly name = 'FailedError';
}

export function exitCodeOf(thrown: unknown): number {
  if (thrown instanceof UsageError) return EXIT.usage;
  if (!(thrown instanceof TapedeckError)) return EXIT.failure;
  return EXIT[meaningOf(thrown.code)];
}

/** A request that the service refuses as wrong, or a result that does not exist; all other codes mean that it refuses requests. */
function meaningOf(code: ErrorCode): keyof typeof EXIT {
  if (code === 'audio_failed' || code === 'link_invalid') return 'failure';
  // A service of another release may send unknown codes.
  const status = Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as keyof typeof ERROR_TABLE].http : 0;
  if ([400, 405, 413, 415, 416, 422].includes(status)) return 'usage';
  return [404, 409, 410, 412].includes(status) ? 'failure' : 'refused';
}

/** Returns an error as one line, with the fields and reasons that the service named. */
export function sentenceOf(thrown: unknown): string {
  if (!(thrown instanceof TapedeckError)) return thrown instanceof Error ? thrown.message : String(thrown);
  const { message, price, credit, details, cause } = thrown;
  const money = price === undefined ? '' : ` It costs ${price}, and the key has ${credit ?? 'nothing'} left.`;
  const reason = cause instanceof Error ? ` (${causeOf(cause)})` : '';
  const fields = details.map((one) => `${one.path}: ${one.message}`).join('; ');
  // For a single field the sentence often repeats its name.
  const isSaid = details.some((one) => message.includes(one.message));
  return [isSaid ? '' : `${message}${reason}${money}`, fields].filter(Boolean).join(' ');
}

/** `fetch` reports only "fetch failed"; the reason is in the error's cause. */
function causeOf({ message, cause }: Error): string {
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

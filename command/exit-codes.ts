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
  // A service of another release may send unknown codes.
  return EXIT[(Object.hasOwn(MEANINGS, thrown.code) && MEANINGS[thrown.code]) || 'refused'];
}

/** All other codes mean that the service refuses requests. */
const MEANINGS: Readonly<Partial<Record<ErrorCode, keyof typeof EXIT>>> = {
  invalid_input: 'usage',
  invalid_json: 'usage',
  webhook_target_forbidden: 'usage',
  method_not_allowed: 'usage',
  body_too_large: 'usage',
  encoding_not_supported: 'usage',
  range_not_satisfiable: 'usage',
  audio_failed: 'failure',
  link_invalid: 'failure',
  not_found: 'failure',
  pending_duplicate: 'failure',
  already_finished: 'failure',
  not_ready: 'failure',
  contents_in_use: 'failure',
  delivery_pending: 'failure',
  idempotency_key_in_use: 'failure',
  idempotency_key_reused: 'usage',
  too_many_webhooks: 'failure',
  list_id_expired: 'failure',
  precondition_failed: 'failure',
};

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

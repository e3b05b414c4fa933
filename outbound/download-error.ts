import { ForbiddenTargetError, unreachableCode, type UnreachableCode } from './request-failures.ts';

/** Why a download did not come whole. */
export type DownloadProblem =
  /** The URL, or one that it redirects to, must not be called; the reason is a sentence. Trying again is useless. */
  | { readonly kind: 'forbidden'; readonly reason: string }
  /** The server answered with another status than 200. */
  | { readonly kind: 'status'; readonly statusCode: number }
  | { readonly kind: 'too_large' }
  /** It comes so slowly that the whole would take too long. */
  | { readonly kind: 'too_slow' }
  /** Less arrived than the server announced, or nobody can tell. */
  | { readonly kind: 'incomplete' }
  /** No answer that could be used. */
  | { readonly kind: 'unreachable'; readonly error: UnreachableCode };

/** A download failed by the other side. The message is for logs; it does not hold the URL, which may be signed. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly problem: DownloadProblem;

  constructor(problem: DownloadProblem, options?: ErrorOptions) {
    super(`download failed: ${JSON.stringify(problem)}`, options);
    this.problem = problem;
  }
}

/**
 * @param signal that ended the connection, if it is aborted
 * @returns what a socket threw, sorted; the error itself when it is our own fault
 */
export function problemOf(
  thrown: unknown,
  { signal, begun = false }: { readonly signal: AbortSignal; readonly begun?: boolean },
): unknown {
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (error instanceof ForbiddenTargetError) return new DownloadError({ kind: 'forbidden', reason: error.message });
  if (error instanceof DownloadError) return error;
  const code = unreachableCode(error);
  if (code === undefined) return error;
  // A timeout stays one; any other end of an answer that had begun only means that the rest is missing.
  const problem: DownloadProblem =
    begun && code !== 'timeout' ? { kind: 'incomplete' } : { kind: 'unreachable', error: code };
  return new DownloadError(problem, { cause: error });
}

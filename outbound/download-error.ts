import { ForbiddenTargetError, unreachableCode, type UnreachableCode } from './request-failures.ts';

export type DownloadProblem =
  /** The URL, or one that it redirects to, is forbidden; the reason is a sentence. A retry cannot succeed. */
  | { readonly kind: 'forbidden'; readonly reason: string }
  | { readonly kind: 'status'; readonly statusCode: number }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'too_slow' }
  /** The body is shorter than announced, or its length cannot be verified. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'unreachable'; readonly error: UnreachableCode };

/** Thrown when a download fails at the remote end. The message is for logs; it does not contain the URL, which may be signed. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly problem: DownloadProblem;

  constructor(problem: DownloadProblem, options?: ErrorOptions) {
    super(`download failed: ${JSON.stringify(problem)}`, options);
    this.problem = problem;
  }
}

/** @returns the error of a socket as a DownloadError; the error itself if the cause is internal */
export function problemOf(
  thrown: unknown,
  { signal, begun = false }: { readonly signal: AbortSignal; readonly begun?: boolean },
): unknown {
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (error instanceof ForbiddenTargetError) return new DownloadError({ kind: 'forbidden', reason: error.message });
  if (error instanceof DownloadError) return error;
  const code = unreachableCode(error);
  if (code === undefined) return error;
  // A timeout keeps its code; any other error after the start of a response means that the body is incomplete.
  const problem: DownloadProblem =
    begun && code !== 'timeout' ? { kind: 'incomplete' } : { kind: 'unreachable', error: code };
  return new DownloadError(problem, { cause: error });
}

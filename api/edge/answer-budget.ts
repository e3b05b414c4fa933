import { ApiError } from '../../contract/errors.ts';

export interface AnswerBudgetOptions {
  /** What the answers of one caller may hold that are not sent yet, in bytes of their text. */
  readonly perCallerBytes: number;
  /** The same of all callers together. */
  readonly inAllBytes: number;
}

/** The text of an answer takes up to four times its bytes in memory, as objects, as text and as what waits in the socket. */
export const ANSWER_BUDGET: AnswerBudgetOptions = { perCallerBytes: 16 << 20, inAllBytes: 64 << 20 };

const RETRY_SECONDS = 5;

/** What one answer holds, from when it is read until it is sent or cut. */
export interface Holding {
  /**
   * Raises what is held to that many bytes.
   *
   * @throws ApiError `answers_unread` when the caller's answers hold too much, `unavailable` when all together do
   */
  atLeast(bytes: number): void;
  /** Adds to what is held. @throws ApiError like {@link atLeast} */
  add(bytes: number): void;
  release(): void;
}

export interface AnswerBudget {
  /** @param caller who shares the limit of one */
  open(caller: string): Holding;
}

/**
 * Counts what large answers hold, and refuses more before it is read: whoever asks for many and takes none would otherwise
 * fill the memory (20 of 14 MB each were 1 GB). An answer alone may be of any size.
 */
export function createAnswerBudget({ perCallerBytes, inAllBytes }: AnswerBudgetOptions): AnswerBudget {
  const heldBy = new Map<string, number>();
  let inAll = 0;
  return {
    open(caller) {
      let held = 0;
      let isOpen = true;
      const grow = (bytes: number): void => {
        // Whoever has left needs no answer, and nobody would give back what it holds. It is no fault of ours.
        if (!isOpen)
          throw new ApiError('answers_unread', 'The connection is closed.', { retryAfterSeconds: RETRY_SECONDS });
        const own = heldBy.get(caller) ?? 0;
        if (own > held && own + bytes > perCallerBytes) {
          throw new ApiError('answers_unread', 'Too many large answers were asked for and not read yet.', {
            retryAfterSeconds: RETRY_SECONDS,
          });
        }
        if (inAll > held && inAll + bytes > inAllBytes) {
          throw new ApiError('unavailable', 'Too many large answers are on their way. Try again soon.', {
            retryAfterSeconds: RETRY_SECONDS,
          });
        }
        held += bytes;
        inAll += bytes;
        heldBy.set(caller, own + bytes);
      };
      return {
        add: grow,
        atLeast(bytes) {
          if (bytes > held) grow(bytes - held);
        },
        release() {
          isOpen = false;
          inAll -= held;
          const left = (heldBy.get(caller) ?? 0) - held;
          if (left > 0) heldBy.set(caller, left);
          else heldBy.delete(caller);
          held = 0;
        },
      };
    },
  };
}

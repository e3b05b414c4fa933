import type { Caller } from '../../contract/http/account-schemas.ts';
import type { AcceptDeps } from '../service-deps.ts';
import { release } from './credit.ts';
import { creditReservationOf, reservePrices, type Admission } from './admission.ts';

interface ReservationOptions {
  readonly admission: Admission;
  /** Whether the price is reserved already: undefined if that was not attempted, false if the job can only be joined. */
  readonly isReserved?: boolean | undefined;
}

export type JobReservation = ReturnType<typeof createJobReservation>;

/** The credit for one job, until it is certain whether this request started the job. */
export function createJobReservation(deps: AcceptDeps, caller: Caller, { admission, isReserved }: ReservationOptions) {
  let reserved = isReserved;
  let isOwnedByJob = false;
  return {
    wasAttempted: (): boolean => reserved !== undefined,
    /** @returns false when the caller can only join a running job; throws ApiError `insufficient_credit` */
    reserve: async (): Promise<boolean> =>
      (reserved ??= (await reservePrices(deps, caller, [admission])).has(admission)),
    /**
     * Called before the job is started. If the outcome of the start stays unknown, the reservation stays too: the job captures
     * it, or a later check of old reservations releases it.
     */
    transferToJob(): void {
      isOwnedByJob = true;
    },
    takeBack(): void {
      isOwnedByJob = false;
    },
    async settle(): Promise<void> {
      if (reserved === true && !isOwnedByJob) await release(deps, caller, creditReservationOf(admission));
    },
  };
}

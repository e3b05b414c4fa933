import type { Caller } from '../../contract/http/account-schemas.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { release } from './credit.ts';
import { creditReservationOf, reservePrices, type Admission } from './admission.ts';

/** The credit that is reserved for one job, until it is certain whether the job was started. */
export class CreditReservation {
  readonly #deps: ServiceDeps;
  readonly #caller: Caller;
  readonly #admission: Admission;
  #isReserved: boolean | undefined;
  #isOwnedByJob = false;

  /** @param isReserved undefined where no reservation was attempted yet; false where the job can only be joined */
  constructor(
    deps: ServiceDeps,
    caller: Caller,
    { admission, isReserved }: { admission: Admission; isReserved?: boolean | undefined },
  ) {
    this.#deps = deps;
    this.#caller = caller;
    this.#admission = admission;
    this.#isReserved = isReserved;
  }

  get wasAttempted(): boolean {
    return this.#isReserved !== undefined;
  }

  /**
   * Reserves the price unless an earlier call did.
   *
   * @returns false when the caller can only join a running job
   * @throws ApiError `insufficient_credit`
   */
  async reserve(): Promise<boolean> {
    this.#isReserved ??= (await reservePrices(this.#deps, this.#caller, [this.#admission])).has(this.#admission);
    return this.#isReserved;
  }

  /**
   * Called before the job is started. If the start has no known outcome, the reservation stays: the job captures it, or a later
   * check of old reservations releases it.
   */
  transferToJob(): void {
    this.#isOwnedByJob = true;
  }

  /** Called when it is certain that the job does not run. */
  takeBack(): void {
    this.#isOwnedByJob = false;
  }

  /** Releases what was reserved for a job that was not started. */
  async settle(): Promise<void> {
    if (this.#isReserved === true && !this.#isOwnedByJob) {
      await release(this.#deps, this.#caller, creditReservationOf(this.#admission));
    }
  }
}

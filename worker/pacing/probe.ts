/** A platform that refuses does so within seconds, and a download of hours must not keep all others waiting. */
const TRUST_MS = 60_000;
/** Who has no task for the probe by then may have an empty queue, or get no tasks at all: another tries. */
const IDLE_MS = 10_000;
/** Until who gave it back wants it again: the others see within a second or two that it is free. */
const LEAST_REST_MS = 5_000;
const MOST_REST_MS = 15_000;

export interface RunningProbe {
  readonly sinceMs: number;
}

/** What a worker does with the probe of a pause, which is one worker's at a time. */
export class Probe {
  /** `held`: this worker may let the probe through; `offered`: it polls for it. */
  #state: 'none' | 'claiming' | 'held' | 'offered' | RunningProbe = 'none';
  #heldSinceMs = 0;
  #restsUntilMs = 0;

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  /** Whether a task that comes now is let through. */
  get isReady(): boolean {
    return this.#state === 'held' || this.#state === 'offered';
  }

  /** Takes whose the probe is. */
  adopt(isOurs: boolean, nowMs: number): void {
    if (!isOurs) this.#state = this.#state === 'claiming' ? 'claiming' : 'none';
    else if (this.#state === 'none' || this.#state === 'claiming') {
      this.#state = 'held';
      this.#heldSinceMs = nowMs;
    }
  }

  mayClaim(nowMs: number): boolean {
    return this.#state === 'none' && nowMs >= this.#restsUntilMs;
  }

  claim(): void {
    this.#state = 'claiming';
  }

  endClaim(): void {
    if (this.#state === 'claiming') this.#state = 'none';
  }

  offer(): void {
    if (this.#state === 'held') this.#state = 'offered';
  }

  /** No poll is left that could bring it a task. */
  endOffer(): void {
    if (this.#state === 'offered') this.#state = 'held';
  }

  run(nowMs: number): RunningProbe {
    const running = { sinceMs: nowMs };
    this.#state = running;
    return running;
  }

  /** @returns false when it was not the probe any more */
  endRun(running: RunningProbe | undefined): boolean {
    if (running === undefined || this.#state !== running) return false;
    this.#state = 'none';
    return true;
  }

  isTrusted(nowMs: number): boolean {
    return typeof this.#state === 'object' && nowMs >= this.#state.sinceMs + TRUST_MS;
  }

  isIdle(nowMs: number): boolean {
    return this.isReady && nowMs >= this.#heldSinceMs + IDLE_MS;
  }

  rest(nowMs: number): void {
    this.#state = 'none';
    this.#restsUntilMs = nowMs + LEAST_REST_MS + Math.random() * (MOST_REST_MS - LEAST_REST_MS);
  }
}

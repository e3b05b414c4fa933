import type { ListEntry } from '../../contract/lists/list-entry.ts';
import type { ListSource } from '../../sources/vidnet/yt-dlp/yt-dlp-list.ts';

const DAY_MS = 24 * 3_600_000;
const UNITS_MS = [365 * DAY_MS, 30 * DAY_MS, 7 * DAY_MS, DAY_MS, 3_600_000, 60_000];

interface Upload extends Omit<ListEntry, 'publishedAtMs' | 'url' | 'kind'> {
  readonly publishedAtMs: number;
  readonly endsAtMs?: number;
  /** Set for an entry that its list shows without an address. */
  readonly hasNoPage?: true;
}

/** A channel that changes over time as real ones do, and the source that lists it. Its changes are the same in each run. */
export class PublishingChannel {
  /** The first one is shown first. */
  uploads: Upload[] = [];
  requests = 0;
  failure: Error | undefined;
  #nowMs: number;
  #published = 0;
  #seed = 1;

  constructor(nowMs: number, uploads: number) {
    this.#nowMs = nowMs - uploads * DAY_MS;
    for (let count = 0; count < uploads; count += 1) {
      this.publish();
      this.#nowMs += DAY_MS;
    }
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
    this.uploads = this.uploads.map(({ endsAtMs, state, ...upload }) => {
      if (endsAtMs === undefined || state === undefined) return upload;
      return endsAtMs <= this.#nowMs ? { ...upload, publishedAtMs: endsAtMs } : { ...upload, endsAtMs, state };
    });
  }

  publish(more: Partial<Upload> = {}): string {
    this.#published += 1;
    const id = `upload-${String(this.#published)}`;
    this.uploads.unshift({ id, title: id, publishedAtMs: this.#nowMs, ...more });
    return id;
  }

  remove(id: string): void {
    this.uploads = this.uploads.filter((one) => one.id !== id);
  }

  rename(id: string): void {
    this.uploads = this.uploads.map((one) => (one.id === id ? { ...one, title: `${one.title}, again` } : one));
  }

  pin(id: string): void {
    const pinned = this.uploads.filter((one) => one.id === id);
    this.uploads = [...pinned, ...this.uploads.filter((one) => one.id !== id)];
  }

  /** @returns a number from 0 to below `most` */
  random(most: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % most;
  }

  source(): ListSource {
    const entries = (): (ListEntry | undefined)[] => {
      this.requests += 1;
      if (this.failure !== undefined) throw this.failure;
      return this.uploads.map(({ endsAtMs: _, hasNoPage, ...upload }) =>
        hasNoPage === true
          ? undefined
          : {
              ...upload,
              ...{ url: `https://www.youtube.com/watch?v=${upload.id}`, kind: 'video' },
              publishedAtMs: this.#shownTime(upload.publishedAtMs),
            },
      );
    };
    return {
      partsOf: () => Promise.resolve([{ url: 'https://www.youtube.com/playlist?list=UUx', subject: 'playlist' }]),
      async *entries(_part, most) {
        yield* await Promise.resolve(entries().slice(0, most));
      },
    };
  }

  /** An age such as "3 weeks ago" is rounded down. */
  #shownTime(ms: number): number {
    const age = this.#nowMs - ms;
    const unit = UNITS_MS.find((one) => age >= one) ?? 1_000;
    return this.#nowMs - Math.floor(age / unit) * unit;
  }
}

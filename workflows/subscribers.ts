/** The webhooks of a job: each URL once, in the order in which they came. Plain state, so that it can be tested as such. */
export class Subscribers {
  readonly #urls: string[] = [];
  #taken = 0;

  add(url: string | undefined): void {
    if (url !== undefined && !this.#urls.includes(url)) this.#urls.push(url);
  }

  /** @returns the next subscriber that has not been taken, with its number (from 1) */
  take(): { readonly url: string; readonly number: number } | undefined {
    const url = this.#urls[this.#taken];
    if (url === undefined) return undefined;
    this.#taken += 1;
    return { url, number: this.#taken };
  }
}

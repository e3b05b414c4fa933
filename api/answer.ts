/** What a use case answers, before REST or tRPC dress it. */
export interface Answer<Body> {
  readonly body: Body;
  /** `pending`: 202 with `Retry-After`; `finished`: 200; `unavailable`: 503. */
  readonly state: 'finished' | 'pending' | 'unavailable';
  /** When to ask again, where that is not the usual time. */
  readonly pollSeconds?: number;
}

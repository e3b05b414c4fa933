export interface SourceCall {
  /** Private, empty folder of this attempt. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

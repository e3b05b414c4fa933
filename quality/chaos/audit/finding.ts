/** A column of the audit: what must not be, and the ids of where it is. */
export interface Finding {
  readonly column: string;
  /** None of them is how it must be. */
  readonly ids: readonly string[];
}

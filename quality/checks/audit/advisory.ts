/** From a source's own words; `unknown` where it tells none, and then taken as high. */
export type Severity = 'low' | 'moderate' | 'high' | 'critical' | 'unknown';

/** A known vulnerability of a package in the version that is used. */
export interface Advisory {
  /** Such as `GHSA-…`, `PYSEC-…`, `GO-…`. */
  readonly id: string;
  /** The same vulnerability in other lists. */
  readonly aliases: readonly string[];
  readonly package: string;
  readonly severity: Severity;
  readonly title: string;
  readonly url: string;
}

/** The source of advisories gave no answer, so nothing is known; the message says why. */
export class NotAuditedError extends Error {
  override readonly name = 'NotAuditedError';
}

export function severityOf(text: unknown): Severity {
  const word = typeof text === 'string' ? text.toLowerCase() : '';
  return word === 'low' || word === 'moderate' || word === 'high' || word === 'critical' ? word : 'unknown';
}

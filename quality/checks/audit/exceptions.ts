import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Advisory } from './advisory.ts';

/** quality/checks/audit/exceptions.json: advisories that don't fail the check until a day. */
export const exceptionsSchema = z.array(
  z.strictObject({
    /** Of the advisory, or one of its aliases. */
    id: z.string().min(1),
    package: z.string().min(1),
    /** Why it does no harm here, or what is waited for. */
    reason: z.string().min(20),
    /** The last day, such as 2027-01-31. */
    until: z.iso.date(),
  }),
);
export type Exception = z.infer<typeof exceptionsSchema>[number];

export function readExceptions(path: string): Exception[] {
  return exceptionsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

export interface Verdict {
  /** High or critical, and not excepted. */
  readonly failing: readonly Advisory[];
  /** Those that an exception covers today. */
  readonly excepted: readonly { advisory: Advisory; exception: Exception }[];
  /** Low or moderate. */
  readonly minor: readonly Advisory[];
}

/** @param today such as 2026-11-21 */
export function judge(advisories: readonly Advisory[], exceptions: readonly Exception[], today: string): Verdict {
  const verdict = { failing: [] as Advisory[], excepted: [] as Verdict['excepted'][number][], minor: [] as Advisory[] };
  for (const advisory of advisories) {
    const exception = exceptions.find(
      (one) =>
        one.package === advisory.package && [advisory.id, ...advisory.aliases].includes(one.id) && today <= one.until,
    );
    if (advisory.severity === 'low' || advisory.severity === 'moderate') verdict.minor.push(advisory);
    else if (exception !== undefined) verdict.excepted.push({ advisory, exception });
    else verdict.failing.push(advisory);
  }
  return verdict;
}

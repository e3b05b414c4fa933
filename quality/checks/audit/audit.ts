import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { NotAuditedError, type Advisory } from './advisory.ts';

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

/** A part of the dependencies, with where its advisories come from. */
export interface Part {
  /** Such as `npm packages`. */
  readonly name: string;
  /** Whether a finding fails the check: it does for what serves callers. */
  readonly mayFail: boolean;
  readonly advisories: () => Promise<readonly Advisory[]>;
}

/**
 * Asks the source of each part.
 *
 * @param today such as 2026-11-21
 * @returns parts with a finding that fails the check, and those of which nothing is known, since their source gave no answer
 * @throws what is not a {@link NotAuditedError}
 */
export async function audit(parts: readonly Part[], exceptions: readonly Exception[], today: string) {
  const [lines, failed, notAudited]: [string[], string[], string[]] = [[], [], []];
  const current = exceptions.filter(({ until }) => today <= until);
  for (const { name, mayFail, advisories } of parts) {
    const answer = await advisories().catch((error: unknown) => {
      if (error instanceof NotAuditedError) return error;
      throw error;
    });
    if (answer instanceof NotAuditedError) {
      lines.push(`${name}: not audited: ${answer.message}`);
      notAudited.push(name);
      continue;
    }
    const minor = answer.filter(({ severity }) => severity === 'low' || severity === 'moderate');
    const major = answer
      .filter((advisory) => !minor.includes(advisory))
      .map((advisory) => ({ advisory, exception: current.find((one) => covers(one, advisory)) }));
    const failing = major.filter(({ exception }) => exception === undefined);
    const excepted = major.filter(({ exception }) => exception !== undefined);
    const known = `${String(failing.length)} high or critical, ${String(excepted.length)} excepted, ${String(minor.length)} lesser`;
    lines.push(`${name}: audited: ${known}${mayFail ? '' : ' (told only)'}`);
    for (const { advisory, exception } of [...failing, ...excepted]) {
      const why = exception && `excepted until ${exception.until}: ${describe(advisory)}: ${exception.reason}`;
      lines.push(`  ${why ?? describe(advisory)}`);
    }
    lines.push(...minor.map((advisory) => `  ${describe(advisory)}`));
    if (mayFail && failing.length > 0) failed.push(name);
  }
  for (const { id, until } of exceptions.filter((one) => !current.includes(one)))
    lines.push(`exception for ${id} ended on ${until}: remove it, or look again`);
  return { lines, failed, notAudited };
}

function covers(exception: Exception, { id, aliases, package: name }: Advisory): boolean {
  return exception.package === name && [id, ...aliases].includes(exception.id);
}

function describe({ package: name, severity, id, title, url }: Advisory): string {
  return `${severity} ${name} ${id} ${title} ${url}`;
}

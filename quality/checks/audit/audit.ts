import { NotAuditedError, type Advisory } from './advisory.ts';
import { judge, type Exception } from './exceptions.ts';

/** A part of the dependencies, with where its advisories come from. */
export interface Part {
  /** Such as `npm packages`. */
  readonly name: string;
  /** Whether a finding fails the check: it does for what serves callers. */
  readonly mayFail: boolean;
  readonly advisories: () => Promise<readonly Advisory[]>;
}

export interface AuditOutcome {
  readonly lines: readonly string[];
  /** Parts with a finding that fails the check. */
  readonly failed: readonly string[];
  /** Parts of which nothing is known, since their source gave no answer. */
  readonly notAudited: readonly string[];
}

/** Asks the source of each part. @param today such as 2026-11-21 @throws what is not a {@link NotAuditedError} */
export async function audit(
  parts: readonly Part[],
  exceptions: readonly Exception[],
  today: string,
): Promise<AuditOutcome> {
  const answers = await Promise.all(parts.map((part) => answerOf(part)));
  const lines: string[] = [];
  const [failed, notAudited]: [string[], string[]] = [[], []];
  for (const { part, answer } of answers) {
    if (answer instanceof NotAuditedError) {
      lines.push(`${part.name}: not audited: ${answer.message}`);
      notAudited.push(part.name);
      continue;
    }
    const { failing, excepted, minor } = judge(answer, exceptions, today);
    const known = `${String(failing.length)} high or critical, ${String(excepted.length)} excepted, ${String(minor.length)} lesser`;
    lines.push(`${part.name}: audited: ${known}${part.mayFail ? '' : ' (told only)'}`);
    lines.push(...failing.map((one) => `  ${describe(one)}`));
    lines.push(
      ...excepted.map(
        ({ advisory, exception }) => `  excepted until ${exception.until}: ${describe(advisory)}: ${exception.reason}`,
      ),
    );
    lines.push(...minor.map((one) => `  ${describe(one)}`));
    if (part.mayFail && failing.length > 0) failed.push(part.name);
  }
  lines.push(
    ...exceptions
      .filter(({ until }) => until < today)
      .map(({ id, until }) => `exception for ${id} ended on ${until}: remove it, or look again`),
  );
  return { lines, failed, notAudited };
}

async function answerOf(part: Part): Promise<{ part: Part; answer: readonly Advisory[] | NotAuditedError }> {
  try {
    return { part, answer: await part.advisories() };
  } catch (error) {
    if (error instanceof NotAuditedError) return { part, answer: error };
    throw error;
  }
}

function describe({ package: name, severity, id, title, url }: Advisory): string {
  return `${severity} ${name} ${id} ${title} ${url}`;
}

import { z } from 'zod';
import { installerEnv, type Env } from '../../../local/engines/environment.ts';
import { parseJson } from '../../../runtime/json.ts';
import { run } from '../../../runtime/subprocess/run.ts';
import { NotAuditedError, severityOf, type Advisory } from './advisory.ts';

const TIMEOUT_MS = 15_000;
const MAX_REPORT_CHARS = 20_000_000;

const causeSchema = z.object({ title: z.string(), url: z.string(), severity: z.string(), name: z.string() });
const reportSchema = z.object({
  auditReportVersion: z.literal(2),
  // A cause that is a text names another package of the report, which has its own.
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), causeSchema])) })),
});
const refusalSchema = z.object({ message: z.string() });

/**
 * What `npm audit` knows of the production packages of a lock file.
 *
 * @throws {NotAuditedError} when the registry gives no report: many mirrors have none
 */
export async function auditNpm(root: string, env: Env): Promise<Advisory[]> {
  const args = ['audit', '--json', '--omit=dev', '--package-lock-only', '--fetch-retries=0', '--fetch-timeout=10000'];
  const result = await run('npm', args, {
    cwd: root,
    env: installerEnv(env),
    timeoutMs: TIMEOUT_MS,
    maxStdoutChars: MAX_REPORT_CHARS,
  }).catch((error: unknown) => {
    throw new NotAuditedError(error instanceof Error ? error.message : String(error));
  });
  const report = parseJson(result.stdout);
  const { success, data } = reportSchema.safeParse(report);
  if (!success) {
    const told = refusalSchema.safeParse(report).data?.message ?? result.stderrTail.trim().split('\n').at(-1) ?? '';
    throw new NotAuditedError(`npm audit gave no report: ${told}`);
  }
  const causes = Object.values(data.vulnerabilities).flatMap(({ via }) => via.filter((one) => typeof one !== 'string'));
  return [...new Map(causes.map((cause) => [`${cause.name} ${cause.url}`, cause])).values()].map((cause) => ({
    id: cause.url.split('/').at(-1) ?? cause.url,
    aliases: [],
    package: cause.name,
    severity: severityOf(cause.severity),
    title: cause.title,
    url: cause.url,
  }));
}

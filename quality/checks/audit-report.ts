import { z } from 'zod';
import { parseJson } from '../../runtime/parse-json.ts';

const npmReport = z.object({ metadata: z.object({ vulnerabilities: z.object({ high: z.int(), critical: z.int() }) }) });
/** A package that the source does not know has no `vulns`, and is not audited. */
const pipReport = z.object({ dependencies: z.array(z.object({ vulns: z.array(z.unknown()) })).min(1) });

/** How many vulnerabilities of severity high or critical `npm audit --json` reports; undefined for no report. */
export function foundByNpm(stdout: string): number | undefined {
  const { data } = npmReport.safeParse(parseJson(stdout));
  return data && data.metadata.vulnerabilities.high + data.metadata.vulnerabilities.critical;
}

/** How many vulnerabilities `pip-audit --format=json` reports; undefined for no report. */
export function foundByPip(stdout: string): number | undefined {
  const { data } = pipReport.safeParse(parseJson(stdout));
  return data?.dependencies.reduce((sum, { vulns }) => sum + vulns.length, 0);
}

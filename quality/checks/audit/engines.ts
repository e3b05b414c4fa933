import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { installerEnv, type Setup } from '../../../local/engines/environment.ts';
import { mongodbServer } from '../../../local/engines/mongodb-server.ts';
import { findOnPath } from '../../../local/engines/programs.ts';
import { s3Server } from '../../../local/engines/s3-server.ts';
import { firstWorking, NoStrategyError } from '../../../local/engines/strategies.ts';
import { temporalCli } from '../../../local/engines/temporal-cli.ts';
import { run } from '../../../runtime/subprocess/run.ts';
import { NotAuditedError, type Advisory } from './advisory.ts';

const GOVULNCHECK = 'golang.org/x/vuln/cmd/govulncheck@v1.8.0';
const TIMEOUT_MS = 5 * 60_000;
const MAX_REPORT_CHARS = 100_000_000;

const messageSchema = z.object({
  osv: z.object({ id: z.string(), summary: z.string().optional(), aliases: z.array(z.string()).optional() }).optional(),
  finding: z.object({ osv: z.string(), trace: z.array(z.object({ module: z.string() })) }).optional(),
});

/**
 * What the Go vulnerability database knows of the engines that are on this machine, such as `temporal`.
 *
 * @throws {NotAuditedError} without Go, without engines, without the database
 */
export async function auditEngines(setup: Setup): Promise<Advisory[]> {
  const go = await findOnPath('go', setup.env);
  if (go === undefined) throw new NotAuditedError('govulncheck needs Go, which is not on PATH');
  const programs = await goPrograms(setup);
  if (programs.length === 0) throw new NotAuditedError('no engine is set up yet');
  const found: Advisory[] = [];
  for (const program of programs) {
    const args = ['run', GOVULNCHECK, '-mode=binary', '-format=json', program];
    const result = await run(go, args, {
      cwd: '/',
      env: installerEnv(setup.env),
      timeoutMs: TIMEOUT_MS,
      maxStdoutChars: MAX_REPORT_CHARS,
    }).catch((error: unknown) => {
      throw new NotAuditedError(error instanceof Error ? error.message : String(error));
    });
    if (result.exitCode !== 0) throw new NotAuditedError(result.stderrTail.trim().slice(0, 300));
    found.push(...parseGovulncheck(result.stdout));
  }
  return [...new Map(found.map((one) => [`${one.package} ${one.id}`, one])).values()];
}

/** The findings of `govulncheck -format=json`: JSON objects, one after another, each closed by a brace in the first column. */
export function parseGovulncheck(report: string): Advisory[] {
  const messages = report
    .split(/(?<=^\}\n)/m)
    .filter((text) => text.trim() !== '')
    .map((text) => messageSchema.parse(JSON.parse(text)));
  const known = new Map(messages.flatMap(({ osv }) => (osv === undefined ? [] : [[osv.id, osv] as const])));
  const hits = messages.flatMap(({ finding }) => (finding === undefined ? [] : [finding]));
  const unique = new Map(hits.map(({ osv, trace }) => [`${osv} ${trace[0]?.module ?? ''}`, { osv, trace }]));
  return [...unique.values()].map(({ osv, trace }) => ({
    id: osv,
    aliases: known.get(osv)?.aliases ?? [],
    package: trace[0]?.module ?? '',
    // The database tells none.
    severity: 'unknown',
    title: known.get(osv)?.summary ?? '',
    url: `https://pkg.go.dev/vuln/${osv}`,
  }));
}

/** Those that are on this machine already: nothing is set up for an audit. */
async function goPrograms(setup: Setup): Promise<string[]> {
  const mongodb = await mongodbServer(setup, join(setup.cacheDir, 'no-data'));
  const ferretdb = mongodb.found.filter(({ kind }) => kind === 'ferretdb');
  const found = await Promise.allSettled([
    firstWorking('Temporal', temporalCli(setup).found, setup.log),
    firstWorking('S3 server', s3Server(setup).found, setup.log),
    firstWorking('MongoDB', ferretdb, setup.log),
  ]);
  return found
    .flatMap((one) => {
      if (one.status === 'fulfilled') return [one.value.value];
      if (one.reason instanceof NoStrategyError) return [];
      throw one.reason;
    })
    .map((engine) => (typeof engine === 'string' ? engine : engine.program))
    .filter((program) => existsSync(program));
}

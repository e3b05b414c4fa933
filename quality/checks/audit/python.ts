import { z } from 'zod';
import type { Requirement } from '../requirements.ts';
import { NotAuditedError, severityOf, type Advisory } from './advisory.ts';

/** OSV collects the advisories of GitHub and of the Python Packaging Authority. */
export const OSV_URL = 'https://api.osv.dev';
const TIMEOUT_MS = 10_000;

const batchSchema = z.object({
  results: z.array(z.object({ vulns: z.array(z.object({ id: z.string() })).optional() })),
});
const entrySchema = z.object({
  id: z.string(),
  summary: z.string().optional(),
  aliases: z.array(z.string()).default([]),
  withdrawn: z.string().optional(),
  database_specific: z.object({ severity: z.string().optional() }).optional(),
});

/**
 * What OSV knows of Python packages.
 *
 * @param baseUrl of an OSV server (https://google.github.io/osv.dev/api/)
 * @throws {NotAuditedError} when it does not answer, or not as it should
 */
export async function auditPython(requirements: readonly Requirement[], baseUrl = OSV_URL): Promise<Advisory[]> {
  const queries = requirements.map(({ name, version }) => ({ package: { name, ecosystem: 'PyPI' }, version }));
  const { results } = await ask(`${baseUrl}/v1/querybatch`, batchSchema, JSON.stringify({ queries }));
  if (results.length !== queries.length) throw new NotAuditedError('OSV answered for another number of packages');
  const hits = results.flatMap(({ vulns = [] }, at) =>
    vulns.map(({ id }) => ({ id, name: requirements[at]?.name ?? '' })),
  );
  const entries = await Promise.all(
    hits.map(async ({ id, name }) => {
      const entry = await ask(`${baseUrl}/v1/vulns/${encodeURIComponent(id)}`, entrySchema);
      return { ...entry, name };
    }),
  );
  return entries
    .filter(({ withdrawn }) => withdrawn === undefined)
    .map((entry) => ({
      id: entry.id,
      aliases: entry.aliases,
      package: entry.name,
      severity: severityAmong(entry, entries),
      title: entry.summary ?? '',
      url: `https://osv.dev/vulnerability/${entry.id}`,
    }));
}

/** The Python list tells no severity; GitHub's entry about the same vulnerability does. */
function severityAmong(
  entry: z.infer<typeof entrySchema>,
  all: readonly z.infer<typeof entrySchema>[],
): Advisory['severity'] {
  const same = [entry, ...all.filter(({ id, aliases }) => entry.aliases.includes(id) || aliases.includes(entry.id))];
  const told = same.map((one) => severityOf(one.database_specific?.severity));
  return told.find((severity) => severity !== 'unknown') ?? 'unknown';
}

async function ask<T>(url: string, schema: z.ZodType<T>, body?: string): Promise<T> {
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    });
    if (!answer.ok) throw new Error(`status ${String(answer.status)}`);
    return schema.parse(await answer.json());
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new NotAuditedError(`${new URL(url).host}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

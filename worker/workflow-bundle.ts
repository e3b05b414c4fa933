import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { WorkflowBundleWithSourceMap, WorkerDeploymentOptions } from '@temporalio/worker';
import { cachedBuildPath, ROOT } from '../runtime/build-cache.ts';
import { bareEnvironment } from '../runtime/subprocess/bare-environment.ts';
import { run } from '../runtime/subprocess/run-program.ts';
import type { Config } from '../config.ts';

const PRINT_BUNDLE = join(ROOT, 'worker', 'print-bundle.mjs');
/** Used by workers that encrypt payloads, also for their activities. */
export const FAILURE_CONVERTER = join(ROOT, 'workflows', 'failure-converter.ts');
const ENTRIES = ['index', 'workflow-interceptors', 'payload-converter'].map((name) =>
  join(ROOT, 'workflows', `${name}.ts`),
);
/** The sources of a bundle. Workflows import values from these folders only, which `.dependency-cruiser.cjs` enforces. */
const SOURCES = ['{workflows,contract,runtime}/**/*.{ts,json}', 'worker/print-bundle.mjs', 'package-lock.json'];
const TIMEOUT_MS = 120_000;
/** A bundle has about 3 million. */
const MAX_CHARS = 50_000_000;

/**
 * Compiles the workflows, for workers and replay tests alike. The bundle is cached until its sources change.
 *
 * @param options.hidesFailures whether the texts of failures are encrypted with the payloads
 */
export async function loadWorkflows({ hidesFailures = false } = {}): Promise<WorkflowBundleWithSourceMap> {
  const kept = `${await cachedBuildPath(hidesFailures ? 'workflows-hiding' : 'workflows', SOURCES)}.js`;
  const code = await readFile(kept, 'utf8').catch(() => undefined);
  if (code !== undefined) return { code, sourceMap: '' };
  const bundle = await compileWorkflows({ hidesFailures });
  const staging = `${kept}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(staging), { recursive: true });
  await writeFile(staging, bundle.code);
  await rename(staging, kept);
  return bundle;
}

/** Distinguishes workflow bundles that may replay differently. */
export async function workflowsId(): Promise<string> {
  return basename(await cachedBuildPath('workflows', SOURCES));
}

/** Takes about three seconds of a core. @throws when it fails, with what the compiler said */
export async function compileWorkflows({ hidesFailures = false } = {}): Promise<WorkflowBundleWithSourceMap> {
  const { exitCode, stdout, stderrTail } = await run(
    process.execPath,
    [PRINT_BUNDLE, ...ENTRIES, ...(hidesFailures ? [FAILURE_CONVERTER] : [])],
    {
      cwd: dirname(PRINT_BUNDLE),
      env: bareEnvironment(process.execPath),
      timeoutMs: TIMEOUT_MS,
      maxStdoutChars: MAX_CHARS,
    },
  );
  if (exitCode !== 0) throw new Error(`the workflows could not be compiled: ${stderrTail}`);
  return { code: stdout, sourceMap: '' };
}

/** @returns the deployment version of a worker, to which its jobs are pinned; undefined without WORKER_DEPLOYMENT */
export async function deploymentOf({
  WORKER_DEPLOYMENT: deploymentName,
  WORKER_BUILD_ID: buildId,
}: Pick<Config, 'WORKER_DEPLOYMENT' | 'WORKER_BUILD_ID'>): Promise<WorkerDeploymentOptions | undefined> {
  if (deploymentName === undefined) return undefined;
  return {
    useWorkerVersioning: true,
    version: { deploymentName, buildId: buildId ?? (await workflowsId()) },
    defaultVersioningBehavior: 'PINNED',
  };
}

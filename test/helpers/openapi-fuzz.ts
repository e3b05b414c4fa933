import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DownloadList } from '../../contract/kinds/kinds.ts';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { jobsEnded } from '../fuzz/aftermath.ts';
import { makeKey } from '../fuzz/key.ts';
import { prepareJobs } from '../fuzz/prepare-jobs.ts';
import { ensureSchemathesis, excerpt, fuzz, type Part } from '../fuzz/schemathesis.ts';
import { TestService } from './service.ts';

/** The same cases in each run; `npm run fuzz` tries more, with other seeds. */
const SEED = 7;
/** Setting up takes minutes the first time. */
const SET_UP_MS = 10 * 60_000;
const RUN_MS = 10 * 60_000;
/** These wait, 5 s or as long as a job takes: few cases of them, and none by the hundred that the coverage phase makes. */
const WAITING = ['testWebhook', 'requestChannel', 'requestTranscript'];
export const ONLY_WAITING = WAITING.flatMap((id) => ['--include-operation-id', id]);
export const WITHOUT_WAITING = WAITING.flatMap((id) => ['--exclude-operation-id', id]);

export interface FuzzForm {
  /** They go on beside each other, each with its most examples. */
  readonly parts: readonly (readonly [number, Part])[];
  /** How many cases there must be. */
  readonly atLeast: number;
  /** Whether jobs about hosts and subjects that are not there are let be until they give up; otherwise they are cancelled. */
  readonly toTheEnd: boolean;
}

export function describeFuzz({ parts, atLeast, toTheEnd }: FuzzForm): void {
  let service: TestService;
  let python: string;
  let folder: string;
  beforeAll(async () => {
    const log = (line: string): void => console.log(line);
    python = (await ensureSchemathesis({ env: process.env, cacheDir: defaultCacheDir(process.env), log })).value;
    folder = await mkdtemp(join(tmpdir(), 'tapedeck-fuzz-'));
    service = await TestService.start({
      env: {
        ALLOW_ANONYMOUS: 'false',
        RATE_LIMIT_PER_MINUTE: '10000000',
        VIDNET_STARTS_PER_MINUTE: '60000',
        DEFAULT_WAIT_SECONDS: '3',
      },
    });
  }, SET_UP_MS);
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it(
    'the OpenAPI document, fuzzed, keeps its word in every case of all checks, and every job that was started ends',
    async () => {
      const key = await makeKey(service.stack);
      await prepareJobs({ serviceUrl: service.stack.restUrl, sandbox: service.sandbox, key });
      const reports = await Promise.all(
        parts.map(([maxExamples, part]) =>
          fuzz(part, { python, serviceUrl: service.stack.restUrl, maxExamples, seed: SEED, folder, key }),
        ),
      );
      for (const { name, cases, seconds } of reports)
        console.log(`${name}: ${String(cases)} cases, ${seconds.toFixed(0)} s`);
      for (const { problems, output } of reports) expect(problems, excerpt(output)).toEqual([]);
      expect(reports.reduce((sum, { cases }) => sum + cases, 0)).toBeGreaterThan(atLeast);
      if (!toTheEnd) await cancelPending(service, key);
      await jobsEnded(service.stack, 300_000);
      expect((await fetch(`${service.stack.restUrl}/health`)).status).toBe(200);
    },
    RUN_MS,
  );
}

async function cancelPending(service: TestService, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const { body } = await service.request<DownloadList>('GET', '/api/downloads?status=pending&limit=100', { headers });
  const answers = await Promise.all(
    body.downloads.map(({ id }) => fetch(`${service.stack.restUrl}/downloads/${id}`, { method: 'DELETE', headers })),
  );
  // Some have ended by themselves in between.
  for (const { status } of answers) expect([200, 202, 409]).toContain(status);
}

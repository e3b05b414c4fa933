// npm run fuzz [-- --max-examples N --seed N --anonymous --default-limit --hostile-seconds N --damage-seconds N]: schemathesis with all its checks
// on the whole service and its sandbox, and a table of what they found; then hostile requests and answers, and the longest
// time for which one held the event loop; then damaged media. Without examples (--max-examples 0) only the latter two.
import { readFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { defaultCacheDir } from '../../local/engines/cache.ts';
import { startStack } from '../../local/stack.ts';
import { ensureTools } from '../../local/engines/tools.ts';
import { BUILT_IN_CATALOGUE, startSandbox } from '../../local/sandbox/server.ts';

import { jobsEnded, workflowsClosed } from './aftermath.ts';
import { fuzzDamage } from './damage.ts';
import { MAX_TURN_MS } from './hostile/longest.ts';
import { fuzzTurns } from './hostile/run.ts';
import { ensureSchemathesis, excerpt, fuzz, PARTS } from './schemathesis.ts';
import { makeKey } from './key.ts';
import { prepareJobs } from './prepare-jobs.ts';

/** A webhook is tried for 100 s after the end of its job. */
const ENDED_WITHIN_MS = 30 * 60_000;

const { values } = parseArgs({
  options: {
    'max-examples': { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    anonymous: { type: 'boolean', default: false },
    'default-limit': { type: 'boolean', default: false },
    'hostile-seconds': { type: 'string', default: '600' },
    'damage-seconds': { type: 'string', default: '600' },
  },
});
const cacheDir = defaultCacheDir(process.env);
const log = (line: string): void => console.error(line);
const isWithoutExamples = values['max-examples'] === '0';
const python = isWithoutExamples ? '' : (await ensureSchemathesis({ env: process.env, cacheDir, log })).value;
const tools = await ensureTools({ env: process.env, cacheDir, log });
const folder = await mkdtemp(join(tmpdir(), 'tapedeck-fuzz-'));
const sandbox = await startSandbox({
  ...{ catalogueDir: BUILT_IN_CATALOGUE, cacheDir: join(cacheDir, 'sandbox'), port: 0, log },
  ...{ ffmpeg: tools.ffmpeg, ffprobe: tools.ffprobe },
});
const turnsFile = join(folder, 'turns.jsonl');
const stack = await startStack({
  env: {
    ...process.env,
    YTDLP_PATH: tools.ytdlp,
    FFMPEG_PATH: tools.ffmpeg,
    FFPROBE_PATH: tools.ffprobe,
    ALLOW_ANONYMOUS: String(values.anonymous),
    ...(values['default-limit'] ? {} : { RATE_LIMIT_PER_MINUTE: '10000000' }),
    // The pace spares a platform, and the sandbox is none.
    VIDNET_STARTS_PER_MINUTE: '60000',
    IMGNET_STARTS_PER_MINUTE: '60000',
    // Long enough for a result to come at times, and for a pending answer at others.
    DEFAULT_WAIT_SECONDS: '5',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'warn',
    // Hostile headers of proxies are read only where the peer is trusted.
    TRUSTED_PROXIES: '127.0.0.0/8',
    NODE_OPTIONS: `--import=${new URL('./hostile/turn-probe.ts', import.meta.url).href}`,
    NODE_TURNS_FILE: turnsFile,
    ...sandbox.env,
  },
  ...{ dataDir: folder, services: ['api', 'worker'], ports: 'free', log, output: { dir: folder } },
});
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
try {
  const key = values.anonymous ? undefined : await makeKey(stack);
  const asked = { serviceUrl: stack.restUrl, sandbox, key };
  await prepareJobs(asked);
  const beforeMiB = await memoryMiB();
  const options = {
    ...{ python, serviceUrl: stack.restUrl, folder, key, signal: stop.signal },
    ...{ seed: Number(values.seed), maxExamples: Number(values['max-examples']) },
  };
  const reports = await Promise.all(
    (isWithoutExamples ? [] : PARTS).map(async (part) => {
      const report = await fuzz(part, options);
      await writeFile(join(folder, `${part.name}.txt`), report.output);
      log(`${part.name}: ${String(report.cases)} cases in ${report.seconds.toFixed(0)} s`);
      if (report.problems.length > 0) log(excerpt(report.output));
      return report;
    }),
  );
  const hostile = await fuzzTurns({
    ...{ serviceUrl: stack.restUrl, key, folder, turnsFile, signal: stop.signal },
    ...{ seed: Number(values.seed), seconds: Number(values['hostile-seconds']) },
  });
  const damage = await fuzzDamage({
    ...{ serviceUrl: stack.restUrl, key, folder, ffmpeg: tools.ffmpeg, signal: stop.signal },
    ...{ seed: Number(values.seed), seconds: Number(values['damage-seconds']) },
  });
  const jobs = await jobsEnded(stack, ENDED_WITHIN_MS);
  await workflowsClosed(stack, ENDED_WITHIN_MS);
  const health = await fetch(`${stack.restUrl}/health`);
  const errors = (await readFile(join(folder, 'api.log'), 'utf8'))
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line));
  console.log('| Operations | Cases | Failed | Seconds | Problems |\n| --- | --- | --- | --- | --- |');
  for (const { name, cases, failed, seconds, problems } of reports) {
    console.log(`| ${name} | ${String(cases)} | ${String(failed)} | ${seconds.toFixed(0)} | ${problems.join('; ')} |`);
  }
  console.log(`cases ${String(reports.reduce((sum, { cases }) => sum + cases, 0))}, seed ${values.seed}`);
  console.log(`jobs ${JSON.stringify(jobs)}, all ended; no workflow is open`);
  console.log(`health ${String(health.status)}; errors in the log of the api: ${String(errors.length)}`);
  console.log(`memory of the api: ${String(beforeMiB)} MiB before, ${String(await memoryMiB())} MiB after`);
  console.log(
    `hostile requests ${String(hostile.requests)}, hostile answers ${String(hostile.answers)}; longest turns:`,
  );
  for (const { name, ms, label } of hostile.turns) console.log(`  ${name}: ${ms.toFixed(1)} ms, ${label}`);
  console.log(`damaged media ${JSON.stringify(damage.jobs)}; most memory of a program: ${String(damage.peakMib)} MiB`);
  for (const problem of damage.problems) console.log(`  ${problem}`);
  console.log(`reports and logs: ${folder}`);
  const isQuick = hostile.turns.every(({ ms }) => ms <= MAX_TURN_MS);
  const isClean =
    damage.problems.length === 0 &&
    reports.every(({ problems }) => problems.length === 0) &&
    health.ok &&
    errors.length === 0 &&
    isQuick;
  process.exitCode = isClean ? 0 : 1;
} finally {
  await stack.stop();
  await sandbox.stop();
}

/** What the process of the api holds in memory, on Linux. */
async function memoryMiB(): Promise<number> {
  const pid = stack.processes().find(({ name }) => name === 'api')?.pid ?? 0;
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? NaN) / 1024);
}

// npm run chaos: jobs of all kinds while processes are killed and connections cut, followed by an audit of their results.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onNpmGone } from '../../runtime/subprocess/on-stop.ts';
import { readArguments } from './arguments.ts';
import { renderReport } from './report.ts';
import { runChaos } from './run.ts';

const { env } = process;
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // A second signal ends this process at once. Its subprocesses notice that and end too.
    if (interruption.signal.aborted) process.exit(1);
    interruption.abort(new Error(`${name}: the run was stopped`));
  });
}
onNpmGone(env, () => interruption.abort(new Error('npm is gone')));

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<boolean> {
  if (process.platform !== 'linux') throw new Error('chaos runs on Linux only: it finds processes in /proc');
  const { json, keep, ...options } = readArguments(process.argv.slice(2));
  const dataDir = await mkdtemp(join(tmpdir(), 'tapedeck-chaos-'));
  console.log(
    `${String(options.jobs)} jobs, ${String(options.minutes)} min, seed ${String(options.seed)}, in ${dataDir}`,
  );
  const report = await runChaos({
    env,
    arguments: options,
    dataDir,
    say: (line) => console.log(line),
    signal: interruption.signal,
  });
  console.log(`\n${renderReport(report)}\n`);
  // npm runs scripts in the project's folder; INIT_CWD is the user's.
  if (json !== undefined) {
    await writeFile(resolve(env['INIT_CWD'] ?? process.cwd(), json), `${JSON.stringify(report, null, 2)}\n`);
  }
  const clean = report.findings.every(({ ids }) => ids.length === 0);
  if (clean && !keep) await rm(dataDir, { recursive: true, force: true });
  else console.log(`data and logs are kept in ${dataDir}`);
  console.log(clean ? 'every column is 0' : 'NOT every column is 0');
  return clean;
}

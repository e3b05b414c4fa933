// npm run demo [-- --media FILE]: runs one job and shows its result. In a terminal the service then runs until Ctrl-C.
import { once } from 'node:events';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lockDataDir } from '../engines/data-lock.ts';
import { isWatched, onFirstSignal } from '../run-until-signal.ts';
import { setStage } from './stage.ts';
import { tellStory } from './story.ts';
import { createTerminal, secondsText } from './terminal.ts';

const LOCK = 'demo-in-use';

const { env } = process;
const terminal = createTerminal(process.stdout, env);
const dataDir = resolve(env['DATA_DIR'] || './data', 'demo');
const begun = Date.now();

const interruption = new AbortController();
const { signal } = interruption;
let exitCode = 0;
let durationMs: number | undefined;
onFirstSignal((what, code) => {
  // A signal is the normal end once all steps are done.
  if (durationMs === undefined) exitCode = code;
  interruption.abort(new Error(`${what}: the demo was stopped`));
});

const stops: (() => Promise<void>)[] = [];
try {
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  const pageUrl = await Promise.race([demo(), interrupted]);
  durationMs = Date.now() - begun;
  if (isWatched()) {
    terminal.heading('In a browser');
    terminal.fact('Open', pageUrl, 'to see and hear who says what; the service runs until Ctrl-C');
    await once(signal, 'abort');
  }
} catch (error) {
  exitCode ||= 1;
  terminal.failure(error instanceof Error ? error.message : String(error));
  if (error instanceof TypeError && 'code' in error) terminal.failure('usage: npm run demo [-- --media FILE]');
  // Without the lock, the logs belong to another run.
  if (!signal.aborted && stops.length > 0) terminal.note(`The logs are in ${join(dataDir, 'logs')}`);
} finally {
  for (const stop of stops.reverse()) {
    await stop().catch((error: unknown) => {
      exitCode ||= 1;
      terminal.failure(`stopping: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
}
if (exitCode === 0 && durationMs !== undefined) {
  terminal.heading('Done');
  terminal.fact('Time', `${secondsText(durationMs)}; everything that was started is stopped`);
  terminal.fact(
    'Go on',
    `npm run sandbox keeps the same service running: open http://127.0.0.1:${env['PORT'] || '3000'}/console`,
    'npm run demo -- --media FILE does the same with a recording of your own',
  );
}
// An interrupted installation may still be building a program.
process.exit(exitCode);

async function demo(): Promise<string> {
  const media = await readMediaArgument();
  stops.push(await takeFolder());
  terminal.heading('Set-up');
  let isReady = false;
  // Later lines would interrupt the output of the steps.
  const log = (line: string): void => (isReady ? undefined : terminal.note(line));
  const stage = await setStage({ env, media, dataDir, log, onStarted: (stop) => stops.push(stop) });
  isReady = true;
  terminal.fact('Ready', `after ${secondsText(Date.now() - begun)}: ${stage.stack.restUrl}, data in ${dataDir}`);
  const jobId = await tellStory({ stage, terminal, dataDir, signal });
  return `${stage.stack.restUrl}/console/jobs/${jobId}`;
}

async function readMediaArgument(): Promise<string | undefined> {
  const { media } = parseArgs({ options: { media: { type: 'string' } } }).values;
  if (media === undefined) return undefined;
  // npm runs scripts in the project's folder; INIT_CWD is the folder of the user.
  const path = resolve(env['INIT_CWD'] ?? process.cwd(), media);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return path;
  const why =
    found === undefined
      ? 'there is no such file'
      : 'the demo takes one file; for a folder there is npm run sandbox -- --media DIR';
  throw new Error(`--media ${path}: ${why}`);
}

async function takeFolder(): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  const unlock = await lockDataDir(dataDir, LOCK);
  const names = (await readdir(dataDir)).filter((name) => name !== LOCK);
  await Promise.all(names.map((name) => rm(join(dataDir, name), { recursive: true, force: true })));
  return unlock;
}

// npm run demo [-- --media FILE]: the main job once, on this machine; then everything is stopped.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { logTail } from '../engines/log-tail.ts';
import { onNpmGone } from '../../runtime/subprocess/parent-watch.ts';
import { readMediaArgument } from './arguments.ts';
import { playDemo } from './demo.ts';
import { takeFolder } from './folder.ts';
import { secondsText } from './format.ts';
import { createService } from './service.ts';
import { demoSettings } from './settings.ts';
import { setStage } from './stage.ts';
import { createTerminal } from './terminal.ts';

const KEPT_LINES = 10;
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

const { env } = process;
const terminal = createTerminal(process.stdout, env);
const dataDir = resolve(env['DATA_DIR'] === undefined || env['DATA_DIR'] === '' ? './data' : env['DATA_DIR'], 'demo');
const logsDir = join(dataDir, 'logs');
const begun = Date.now();

const interruption = new AbortController();
let exitCode = 0;
const interrupt = (why: string, code: number): void => {
  exitCode = code;
  interruption.abort(new Error(`${why}: the demo was stopped`));
};
for (const [name, code] of Object.entries(SIGNALS)) {
  process.on(name, () => {
    // A second signal ends us at once; what was started notices that and ends too.
    if (interruption.signal.aborted) process.exit(code);
    interrupt(name, code);
  });
}
onNpmGone(env['npm_lifecycle_event'] !== undefined, () => interrupt('npm is gone', SIGNALS.SIGTERM));

const stops: (() => Promise<void>)[] = [];
let isSetUp = false;
const laterLines: string[] = [];
const log = (line: string): void => {
  // Lines between those of the story would only disturb it; they are of use when it ends badly.
  if (isSetUp) laterLines.push(line);
  else terminal.note(line);
};

try {
  const interrupted = new Promise<never>((_, reject) => {
    interruption.signal.addEventListener('abort', () => reject(interruption.signal.reason as Error));
  });
  await Promise.race([demo(), interrupted]);
} catch (error) {
  exitCode ||= 1;
  terminal.failure(error instanceof Error ? error.message : String(error));
  // Before the folder is ours, the logs in it are another run's.
  if (!interruption.signal.aborted && stops.length > 0) await showLogs();
} finally {
  await stopAll();
}
if (exitCode === 0) {
  terminal.heading('Done');
  terminal.fact('Time', `${secondsText(Date.now() - begun)}; everything that was started is stopped`);
  terminal.fact(
    'Go on',
    'npm run sandbox keeps the same service running, to try things with curl and the Web UI',
    'npm run demo -- --media FILE does the same with a recording of your own',
  );
}
// A set-up that was interrupted may still be building something.
process.exit(exitCode);

async function demo(): Promise<void> {
  // npm runs scripts in the project's folder and tells where the user was.
  const media = await readMediaArgument(env['INIT_CWD'] ?? process.cwd());
  stops.push(await takeFolder(dataDir));
  terminal.heading('Set-up');
  const stage = await setStage({
    settings: demoSettings(env),
    media,
    dataDir,
    logsDir,
    log,
    onStarted: (stop) => stops.push(stop),
  });
  isSetUp = true;
  terminal.fact('Ready', `after ${secondsText(Date.now() - begun)}: ${stage.stack.restUrl}, data in ${dataDir}`);
  const { signal } = interruption;
  await playDemo({ stage, service: createService(stage.stack.restUrl, signal), terminal, dataDir, signal });
}

async function stopAll(): Promise<void> {
  for (const stop of stops.reverse()) {
    await stop().catch((error: unknown) => {
      exitCode ||= 1;
      terminal.failure(`stopping: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
}

async function showLogs(): Promise<void> {
  for (const line of laterLines.slice(-KEPT_LINES)) terminal.note(line);
  const files = await readdir(logsDir).catch(() => []);
  for (const file of files.sort()) terminal.note(logTail(join(logsDir, file)));
}

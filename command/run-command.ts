import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { parseCommandLine, type Parsed } from './arguments.ts';
import { completionScript } from './completion.ts';
import { ROOT, type CommandConfig } from './command-config.ts';
import type { Display } from './display.ts';
import { findService, type Found } from './embedded.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { fetchAll } from './fetch-result.ts';
import { helpText } from './help.ts';
import { cancelJobs, listJobs, showJobs, testWebhook } from './list-jobs.ts';
import { readTexts } from './read-list.ts';
import { createService, type Service } from './reach-service.ts';
import { targetOf } from './download-targets.ts';

export interface Surroundings {
  readonly config: CommandConfig;
  readonly display: Display;
  readonly stdin: Readable;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** Called for each job that the command waits for, so that an interruption can name it. */
  readonly waiting: Set<string>;
  /** Called with the service, which must be stopped at the end. */
  readonly onFound: (found: Found) => void;
}

/** @returns the exit code; throws UsageError, TapedeckError, FailedError */
export async function run(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { display } = surroundings;
  const parsed = parseCommandLine(words);
  switch (parsed.action) {
    case 'help':
      display.printText(helpText(parsed.command));
      return EXIT.success;
    case 'version':
      display.print(await version());
      return EXIT.success;
    case 'completion':
      display.printText(completionScript(parsed.shell));
      return EXIT.success;
    case 'keys':
      return runKeys(parsed.words, surroundings);
    case 'fetch':
    case 'jobs':
    case 'job':
    case 'cancel':
    case 'webhook test':
      return runOnService(parsed, surroundings);
  }
}

type ServiceCommand = Extract<Parsed, { readonly action: 'fetch' | 'jobs' | 'job' | 'cancel' | 'webhook test' }>;

async function runOnService(parsed: ServiceCommand, surroundings: Surroundings): Promise<number> {
  const { display, waiting } = surroundings;
  if (parsed.action !== 'fetch') return talk(parsed, { display, service: await connect(surroundings, true) });
  // Mistakes in the command line are reported before the service is contacted.
  const all = await prepare(parsed, surroundings);
  const service = await connect(surroundings, all.options.isWaiting);
  const onWaiting = (id: string, isOver: boolean): void => {
    if (isOver) waiting.delete(id);
    else waiting.add(id);
  };
  return fetchAll({ service, display, onWaiting }, all);
}

/** @param isWaiting false for commands that end at once: their requests are not repeated, and no service is started for them */
async function connect({ config, display, signal, onFound }: Surroundings, isWaiting: boolean): Promise<Service> {
  const found = await findService(config, { display, mayStart: isWaiting });
  onFound(found);
  signal.throwIfAborted();
  const onPutOff = (seconds: number): void => {
    display.note(`The service is busy: going on in ${String(seconds)} s.`, 'dim');
  };
  return createService({ url: found.url, key: config.key, signal, isPatient: isWaiting, onPutOff });
}

function talk(
  parsed: Exclude<ServiceCommand, { readonly action: 'fetch' }>,
  about: { readonly service: Service; readonly display: Display },
): Promise<number> {
  switch (parsed.action) {
    case 'jobs':
      return listJobs({ ...about, ...parsed }, parsed);
    case 'job':
      return showJobs({ ...about, ...parsed }, parsed.ids);
    case 'cancel':
      return cancelJobs({ ...about, ...parsed }, parsed.ids);
    case 'webhook test':
      return testWebhook({ ...about, ...parsed }, parsed.url);
  }
}

async function prepare(
  { command, texts, options }: Extract<Parsed, { readonly action: 'fetch' }>,
  surroundings: Surroundings,
) {
  const more = options.from === undefined ? [] : await readTexts(options.from, surroundings);
  const all = [...texts, ...more];
  if (all.length === 0) throw new UsageError('--from: it names nothing.');
  const isMany = new Set(all).size > 1;
  return { command, options, texts: all, target: targetOf(options.output, { isMany, isForced: options.isForced }) };
}

/** Runs `npm run keys` on the same data. */
async function runKeys(words: readonly string[], { config, signal }: Surroundings): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, 'api', 'keys', 'main.ts'), ...words], {
    env: config.serviceEnv,
    stdio: 'inherit',
    signal,
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? EXIT.failure));
  });
}

async function version(): Promise<string> {
  const text = await readFile(join(ROOT, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

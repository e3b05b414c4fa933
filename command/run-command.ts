import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parseCommandLine, type Parsed, type ParsedAs } from './arguments.ts';
import { isBatchCommand } from './command-table.ts';
import { completionScript } from './completion.ts';
import { ROOT, type CommandConfig } from './command-config.ts';
import type { Display } from './display.ts';
import { findService, type FoundService } from './embedded.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { manageFeeds } from './feeds.ts';
import { fetchAll } from './fetch-result.ts';
import { followSources, unfollow } from './follow-sources.ts';
import { helpText } from './help.ts';
import { cancelJobs, listJobs, printItems, showJobs, testWebhook, uploadFiles, type Connection } from './list-jobs.ts';
import { createService } from './reach-service.ts';
import { changeBatches, fetchByBatch, runBatch } from './run-batch.ts';
import { uploadFile } from './upload-file.ts';
import { targetOf } from './download-targets.ts';

export interface Surroundings {
  readonly config: CommandConfig;
  readonly display: Display;
  readonly stdin: Readable;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** The IDs of the jobs that the command waits for, so that an interruption can name them. */
  readonly waiting: Set<string>;
  /** Called with the service, which must be stopped at the end. */
  readonly onFound: (found: FoundService) => void;
}

/** The commands that need a connection to the service and nothing else. */
const RUNS = {
  ...{ jobs: listJobs, job: showJobs, items: printItems, cancel: cancelJobs, follow: followSources, unfollow },
  ...{ batches: changeBatches, feed: manageFeeds, 'webhook test': testWebhook },
} satisfies {
  readonly [Action in Parsed['action']]?: (connection: Connection, parsed: ParsedAs<Action>) => Promise<number>;
};
type Run = (connection: Connection, parsed: Parsed) => Promise<number>;
type Runnable = Extract<Parsed, { readonly action: keyof typeof RUNS }>;
const isRunnable = (parsed: Parsed): parsed is Runnable => Object.hasOwn(RUNS, parsed.action);

/** @returns the exit code; throws UsageError, TapedeckError, FailedError */
export async function run(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { display } = surroundings;
  const parsed = parseCommandLine(words);
  if (isRunnable(parsed)) return (RUNS[parsed.action] as Run)(await connect(surroundings, true), parsed);
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
    case 'mcp': {
      const { url } = await connect(surroundings, true);
      // The import is dynamic because only this command needs the SDK.
      const { serveMcp } = await import('./serve-mcp.ts');
      const { config, stdin, signal } = surroundings;
      await serveMcp({ url, key: config.key, stdin, stdout: process.stdout, signal });
      return EXIT.success;
    }
    case 'fetch':
      return fetchSubjects(parsed, surroundings);
    case 'batch': {
      const texts = [...new Set(await readTexts(parsed.options.from ?? '-', surroundings))];
      if (texts.length === 0) throw new UsageError('batch: the list is empty.');
      return runBatch(await connect(surroundings, parsed.options.isWaiting), { ...parsed, texts });
    }
    case 'upload':
      return uploadFiles({ ...surroundings.config, ...(await connect(surroundings, true)) }, parsed);
  }
}

async function fetchSubjects(
  { command, texts, options }: ParsedAs<'fetch'>,
  surroundings: Surroundings,
): Promise<number> {
  const { isForced, isWaiting } = options;
  // Mistakes in the command line are reported before the service is contacted.
  const more = options.from === undefined ? [] : await readTexts(options.from, surroundings);
  const all = [...new Set([...texts, ...more])];
  if (all.length === 0) throw new UsageError('--from: the list is empty.');
  const target = targetOf(options.output, { isMany: all.length > 1, isForced });
  const connection = await connect(surroundings, isWaiting);
  const upload = (path: string) => uploadFile({ ...surroundings.config, ...connection }, path);
  const deps = { ...connection, waiting: surroundings.waiting, upload };
  if (options.from !== undefined && isBatchCommand(command)) {
    return fetchByBatch(deps, { command, options, texts: all, target });
  }
  return fetchAll(deps, { command, options, texts: all, target });
}

/** @returns the lines of a file, or of standard input for `-`, without blank lines and lines that begin with # */
export async function readTexts(
  from: string,
  { stdin, signal }: Pick<Surroundings, 'stdin' | 'signal'>,
): Promise<readonly string[]> {
  const content =
    from === '-'
      ? await text(addAbortSignal(signal, stdin))
      : await readFile(from, 'utf8').catch((error: unknown) => {
          throw new UsageError(`--from: ${error instanceof Error ? error.message : String(error)}`);
        });
  return content
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** @param isWaiting false for commands that end at once: their requests are not repeated, and no service is started for them */
async function connect(
  { config, display, signal, onFound }: Surroundings,
  isWaiting: boolean,
): Promise<Connection & { readonly url: string }> {
  const found = await findService(config, { display, mayStart: isWaiting });
  onFound(found);
  signal.throwIfAborted();
  const onRetry = (seconds: number): void => {
    display.note(`The service is busy: going on in ${String(seconds)} s.`, 'dim');
  };
  const service = createService({ url: found.url, key: config.key, signal, isRetrying: isWaiting, onRetry });
  return { service, display, url: found.url };
}

async function runKeys(words: readonly string[], { config, signal }: Surroundings): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, 'operator', 'keys', 'main.ts'), ...words], {
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
  const json = await readFile(join(ROOT, 'package.json'), 'utf8');
  return (JSON.parse(json) as { readonly version: string }).version;
}

// The entry point of `tapedeck COMMAND`, the program for terminals and scripts. `tapedeck --help` describes it.
import { setTimeout as delay } from 'node:timers/promises';
import { openStandardOutput } from '../runtime/standard-output.ts';
import { readConfig, type CommandConfig } from './command-config.ts';
import { createDisplay } from './display.ts';
import type { FoundService } from './embedded.ts';
import { EXIT, exitCodeOf, sentenceOf, UsageError } from './exit-codes.ts';
import { interruptionMessages, onInterruption } from './interruption.ts';
import { run } from './run-command.ts';

const CLEANUP_MS = 2_000;

const output = openStandardOutput();
const code = await main(process.argv.slice(2));
await output.flush();
process.exit(code);

async function main(words: readonly string[]): Promise<number> {
  let config: CommandConfig;
  try {
    config = readConfig(process.env);
  } catch (error) {
    console.error(sentenceOf(error));
    return exitCodeOf(error);
  }
  const display = createDisplay({ out: output.stream, err: process.stderr, ...config });
  const { signal, code: interrupted } = onInterruption(process);
  const waiting = new Set<string>();
  let found: FoundService | undefined;
  const running = run(words, {
    ...{ config, display, stdin: process.stdin, signal, waiting },
    onFound: (one) => (found = one),
  }).catch((error: unknown) => {
    if (signal.aborted) return EXIT.failure;
    display.note(sentenceOf(error), 'problem');
    if (error instanceof UsageError) display.note('tapedeck --help shows the usage.', 'dim');
    return exitCodeOf(error);
  });
  const code = await Promise.race([running, interrupted]);
  if (signal.aborted) {
    // Partial files are removed during this time; a service that is still starting detects that this process has ended.
    await Promise.race([running, delay(CLEANUP_MS)]);
    for (const line of interruptionMessages([...waiting], found?.isEmbedded === true)) display.note(line);
  }
  display.end();
  await found?.stop();
  return code;
}

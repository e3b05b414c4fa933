import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Setup } from '../../local/engines/environment.ts';
import { ensurePythonModule } from '../../local/engines/python-module.ts';
import type { Found } from '../../local/engines/strategies.ts';
import { run } from '../../runtime/subprocess/run-program.ts';

const CONFIG = fileURLToPath(new URL('./schemathesis.toml', import.meta.url));
const HOOKS = fileURLToPath(new URL('./known_answers.py', import.meta.url));
/** Of the output; the failures stand at its end. */
const OUTPUT_MAX_CHARS = 50_000_000;

/** A run of schemathesis over some of the operations. They go on beside each other: some only wait. */
export interface Part {
  readonly name: string;
  readonly args: readonly string[];
}

/** The webhook test takes 5 s by design, and these two wait for their results. */
const SLOW = ['testWebhook', 'requestChannel', 'requestTranscript'];
/** These go on as long as there is something to tell. */
const ENDLESS = ['followDownload', 'followDownloads', 'followBatch'];
/** The protocol tus has its own client, and a media type that schemathesis does not generate. */
const TUS = ['createUpload', 'sendUpload'];
const STATELESS = ['--phases', 'examples,coverage,fuzzing'];
export const PARTS: readonly Part[] = [
  ...SLOW.map((name) => ({ name, args: [...STATELESS, '--include-operation-id', name] })),
  { name: 'others', args: [...STATELESS, ...SLOW.flatMap((name) => ['--exclude-operation-id', name])] },
  { name: 'stateful', args: ['--phases', 'stateful'] },
];

export function ensureSchemathesis(setup: Setup): Promise<Found<string>> {
  const requirements = fileURLToPath(new URL('./schemathesis-requirements.txt', import.meta.url));
  return ensurePythonModule(setup, { name: 'schemathesis', module: 'schemathesis.cli', requirements });
}

const reportSchema = z.object({
  running_time: z.number(),
  complete: z.boolean(),
  test_cases: z.object({ generated: z.number(), with_failures: z.number() }),
  operations: z.object({ selected: z.number(), tested: z.number() }),
  failures: z.array(z.object({ code: z.string(), title: z.string(), operations: z.array(z.string()) })),
  errors: z.array(z.object({ title: z.string() })),
});

export interface PartReport {
  readonly name: string;
  /** Requests whose answers were checked. */
  readonly cases: number;
  readonly failed: number;
  readonly seconds: number;
  /** Empty when every check of every case passed. */
  readonly problems: readonly string[];
  /** What schemathesis printed, with how to repeat each failure. */
  readonly output: string;
}

export interface FuzzOptions {
  /** Of schemathesis' environment. */
  readonly python: string;
  readonly serviceUrl: string;
  readonly maxExamples: number;
  readonly seed: number;
  /** Where it keeps reports and what it writes besides. */
  readonly folder: string;
  /** An API key; none for a caller without one. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Runs schemathesis with all its checks, none left out. */
export async function fuzz(part: Part, options: FuzzOptions): Promise<PartReport> {
  const folder = join(options.folder, part.name);
  const reportPath = join(folder, 'report.json');
  await mkdir(folder, { recursive: true });
  const args = [
    ...['-E', '-s', '-m', 'schemathesis.cli', '--config-file', CONFIG, '--no-color'],
    ...['run', `${options.serviceUrl}/openapi.json`, '--checks', 'all', '--continue-on-failure'],
    ...[...ENDLESS, ...TUS].flatMap((name) => ['--exclude-operation-id', name]),
    ...['--max-examples', String(options.maxExamples), '--seed', String(options.seed)],
    ...['--generation-database', 'none', '--report', 'json', '--report-json-path', reportPath],
    ...(options.key === undefined ? [] : ['--header', `Authorization: Bearer ${options.key}`]),
    ...part.args,
  ];
  const result = await run(options.python, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, PYTHONUTF8: '1', SCHEMATHESIS_HOOKS: HOOKS },
    maxStdoutChars: OUTPUT_MAX_CHARS,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const output = `${result.stdout}\n${result.stderrTail}`;
  const text = await readFile(reportPath, 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`schemathesis ended with ${String(result.exitCode)}:\n${excerpt(output)}`);
  const report = reportSchema.parse(JSON.parse(text));
  return {
    name: part.name,
    cases: report.test_cases.generated,
    failed: report.test_cases.with_failures,
    seconds: report.running_time,
    problems: [
      ...report.failures.map(({ code, title, operations }) => `${code} ${title}: ${operations.join(', ')}`),
      ...report.errors.map(({ title }) => title),
      ...(report.complete ? [] : ['it did not come to its end']),
    ],
    output,
  };
}

/** The beginning of the failures in what schemathesis prints, short enough for a log. */
export function excerpt(output: string): string {
  const start = output.search(/^=+ (?:ERRORS|FAILURES) =+$/m);
  const lines = output.slice(Math.max(0, start)).split('\n');
  return lines
    .slice(0, 120)
    .map((line) => (line.length > 400 ? `${line.slice(0, 400)}…` : line))
    .join('\n');
}

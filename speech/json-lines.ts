import { failureFor } from '../contract/failures.ts';
import { z } from 'zod';
import { JobError } from '../runtime/job-error.ts';
import { parseJson } from '../runtime/parse-json.ts';
import { bareEnvironment } from '../runtime/subprocess/bare-environment.ts';
import { run, RunStartError, RunTimeoutError, type RunOptions } from '../runtime/subprocess/run-program.ts';

export const spanSchema = z.object({ startSeconds: z.number(), endSeconds: z.number() });
export const progressLine = z.object({ progress: z.number() });
export const voiceLine = z.object({
  voice: spanSchema.extend({ localSpeaker: z.int().min(0), embedding: z.array(z.number()) }),
});

export interface JsonLinesOptions<T> extends Pick<RunOptions, 'cwd' | 'signal' | 'timeoutMs'> {
  readonly what: string;
  readonly schema: z.ZodType<T>;
  readonly onLine: (line: T) => void;
  readonly env?: Readonly<Record<string, string>>;
}

/** @throws JobError `tool_missing` if the program cannot be started, `internal` if it fails or prints something else */
export async function runJsonLines<T>(
  program: string,
  args: readonly string[],
  { what, schema, onLine, ...options }: JsonLinesOptions<T>,
): Promise<void> {
  let parseError: Error | undefined;
  const onStdoutLine = (line: string): void => {
    if (parseError !== undefined || line === '') return;
    try {
      onLine(schema.parse(parseJson(line)));
    } catch (error) {
      // An error that is thrown here, in an event of a stream, would end the worker.
      parseError = error instanceof Error ? error : new Error(String(error));
    }
  };
  const env = { ...bareEnvironment(program), ...options.env };
  const result = await run(program, args, { ...options, env, onStdoutLine }).catch((error: unknown) => {
    if (error instanceof RunStartError) throw new JobError('speechToolMissing', { cause: error });
    if (!(error instanceof RunTimeoutError)) throw error;
    throw new JobError(failureFor('speechStepTimeout', { step: what }), { cause: error });
  });
  if (result.exitCode === 0 && parseError === undefined) return;
  throw new JobError(failureFor('speechStepFailed', { step: what }), {
    cause: parseError ?? new Error(result.stderrTail.slice(-2_000)),
  });
}

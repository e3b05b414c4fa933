import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { run } from '../../../runtime/subprocess/run.ts';

const PROBE_TIMEOUT_MS = 30_000;
const PROBE_MAX_CHARS = 1_000_000;

const factsSchema = z.object({
  format: z.object({ duration: z.coerce.number() }),
  streams: z.array(z.object({ codec_type: z.string() })),
});

export interface FileFacts {
  readonly sizeBytes: number;
  readonly seconds: number;
  /** `audio`, `video` */
  readonly streams: readonly string[];
}

/** What ffprobe says of a published file; a file that it cannot read has no streams and no length. */
export async function probeFile(ffprobe: string, path: string): Promise<FileFacts> {
  const { size: sizeBytes } = await stat(path);
  const args = ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', `file:${path}`];
  const { exitCode, stdout } = await run(ffprobe, args, {
    ...{ cwd: '/', env: {}, timeoutMs: PROBE_TIMEOUT_MS, maxStdoutChars: PROBE_MAX_CHARS },
  });
  if (exitCode !== 0) return { sizeBytes, seconds: 0, streams: [] };
  const { format, streams } = factsSchema.parse(JSON.parse(stdout));
  return { sizeBytes, seconds: format.duration, streams: streams.map(({ codec_type: type }) => type) };
}

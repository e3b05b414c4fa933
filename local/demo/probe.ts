import { z } from 'zod';
import { run } from '../../runtime/subprocess/run.ts';

const TIMEOUT_MS = 30_000;
const MAX_CHARS = 1_000_000;

const outputSchema = z.object({
  format: z.object({ format_long_name: z.string(), duration: z.coerce.number() }),
  streams: z
    .array(
      z.object({
        codec_name: z.string(),
        profile: z.string().optional(),
        sample_rate: z.coerce.number(),
        channels: z.number(),
        bit_rate: z.coerce.number().optional(),
      }),
    )
    .min(1),
});

/** What ffprobe says about an audio file, as labels and values. @throws when it can't read the file */
export async function probeAudio(ffprobe: string, path: string): Promise<[label: string, value: string][]> {
  const args = ['-v', 'error', '-select_streams', 'a', '-show_format', '-show_streams', '-of', 'json'];
  const { exitCode, stdout, stderrTail } = await run(ffprobe, [...args, '-i', `file:${path}`], {
    cwd: '/',
    env: {},
    timeoutMs: TIMEOUT_MS,
    maxStdoutChars: MAX_CHARS,
  });
  if (exitCode !== 0) throw new Error(`ffprobe cannot read ${path}: ${stderrTail.trim()}`);
  const { format, streams } = outputSchema.parse(JSON.parse(stdout));
  return [
    ['Container', format.format_long_name],
    ['Duration', `${format.duration.toFixed(3)} s`],
    ...streams.flatMap((stream): [string, string][] => [
      ['Codec', stream.profile === undefined ? stream.codec_name : `${stream.codec_name} (${stream.profile})`],
      ['Sample rate', `${String(stream.sample_rate)} Hz`],
      ['Channels', String(stream.channels)],
      ['Bit rate', stream.bit_rate === undefined ? 'not told' : `${(stream.bit_rate / 1000).toFixed(1)} kbit/s`],
    ]),
  ];
}

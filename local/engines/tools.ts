import { ensureMediaProgram, givenMediaProgram, settingOf, type MediaProgram } from './ffmpeg.ts';
import { ensureSpeechPython, type SpeechTools } from './speech-python.ts';
import type { Setup } from './temporal-cli.ts';
import { ensureYtdlp, givenYtdlp } from './ytdlp.ts';

/** Absolute paths of the programs that activities run. */
export interface Tools {
  readonly ytdlp: string;
  readonly ffmpeg: string;
  readonly ffprobe: string;
}

/**
 * Finds the tools, setting up in the cache what is missing. YTDLP_PATH, FFMPEG_PATH and FFPROBE_PATH in `env` are used
 * as given.
 *
 * @throws {NoWayError} when one can't be had; an error naming the setting when a given one can't be run
 */
export async function ensureTools(setup: Setup): Promise<Tools> {
  // All are awaited, so that a failure of one does not leave the others working in the background.
  const all = await Promise.allSettled([ytdlp(setup), media('ffmpeg', setup), media('ffprobe', setup)]);
  const failed = all.filter((result) => result.status === 'rejected').map((result) => (result.reason as Error).message);
  const [ytdlpPath, ffmpeg, ffprobe] = all.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
  if (ytdlpPath === undefined || ffmpeg === undefined || ffprobe === undefined) throw new Error(failed.join('\n'));
  return { ytdlp: ytdlpPath, ffmpeg, ffprobe };
}

/**
 * What the search for speech and the builtin engine run on, set up in the cache when missing. Not part of
 * {@link ensureTools}: it is large, and only transcripts with speaker labels need it. SPEECH_PYTHON_PATH in `env` is used
 * as given.
 *
 * @throws {NoWayError}; an error naming the setting when the given Python lacks a package
 */
export async function ensureSpeechTools(setup: Setup): Promise<SpeechTools> {
  return (await ensureSpeechPython(setup)).value;
}

async function ytdlp(setup: Setup): Promise<string> {
  const given = setup.env['YTDLP_PATH'];
  return given === undefined || given === '' ? (await ensureYtdlp(setup)).value : givenYtdlp(given, setup.env);
}

async function media(name: MediaProgram, setup: Setup): Promise<string> {
  const given = setup.env[settingOf(name)];
  return given === undefined || given === ''
    ? (await ensureMediaProgram(name, setup)).value
    : givenMediaProgram(name, given, setup.env);
}

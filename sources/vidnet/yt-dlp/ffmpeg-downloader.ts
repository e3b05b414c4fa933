import { isAbsolute } from 'node:path';
import { failureFor } from '../../../contract/failures.ts';
import { RECORDING_MAX_SECONDS, type MediaOptions } from '../../../contract/kinds/media-options.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { bareEnvironment } from '../../../runtime/subprocess/bare-environment.ts';
import { findProgram } from '../../../runtime/subprocess/linked-programs.ts';
import { run } from '../../../runtime/subprocess/run-program.ts';

/** Containers that ffmpeg may open from the network, and protocols with which it may follow a playlist. */
const INPUT =
  '-protocol_whitelist http,https,tcp,tls,crypto,data,httpproxy ' +
  '-format_whitelist mov,matroska,webm,mp3,ogg,wav,flac,aac,mpegts,hls,dash -rw_timeout 30000000';
/** Without limits, ffmpeg requests all the rest of a file, of which several megabytes are on their way when it stops. */
const SMALL_REQUESTS = '-request_size 500000 -initial_request_size 500000';
/** MP4 holds any common codec, and its edit list the exact beginning of pictures. Sound needs none of what is before. */
const OUTPUT = '-f mp4 -strict -2 -copypriorss:a 0';

/** A file that can be read wherever ffmpeg was ended. */
const RECORDING = '-f matroska -cluster_time_limit 1000 -flush_packets 1';

/** The part of a running broadcast that ffmpeg records. */
export interface Recording {
  readonly fromStart: boolean;
  readonly maxSeconds: number;
  /** When it is ended, whatever has come by then. */
  readonly endsAfterMs: number;
}

/** @throws JobError when the time of its end is over */
export function recordingOf(live: NonNullable<MediaOptions['live']>, maxMediaSeconds: number): Recording {
  const { from, seconds = Infinity, until } = live;
  const longest = Math.min(maxMediaSeconds, RECORDING_MAX_SECONDS);
  const endsAfterMs = Math.min(until === undefined ? Infinity : Date.parse(until) - Date.now(), 1000 * longest);
  if (endsAfterMs <= 0) throw new JobError('recordingOver');
  return { fromStart: from === 'start', maxSeconds: Math.min(seconds, longest), endsAfterMs };
}

const support = new Map<string, Promise<boolean>>();

/** @returns the arguments with which yt-dlp lets ffmpeg fetch; throws JobError `tool_missing` */
export async function ffmpegDownloader(ffmpeg: string, recording?: Recording): Promise<readonly string[]> {
  const path = isAbsolute(ffmpeg) ? ffmpeg : await findProgram(ffmpeg, bareEnvironment(ffmpeg)['PATH'] ?? '');
  if (path === undefined) throw new JobError(failureFor('mediaToolMissing', { setting: 'FFMPEG_PATH' }));
  const withArguments = (input: string, output: string): readonly string[] => [
    ...['--ffmpeg-location', path, ...(recording === undefined ? [] : ['--downloader', 'ffmpeg'])],
    ...['--downloader-args', `ffmpeg_i:${input}`, '--downloader-args', `ffmpeg_o:${output}`],
  ];
  if (recording !== undefined) {
    const output = `${RECORDING} -t ${String(recording.maxSeconds)}`;
    return withArguments(recording.fromStart ? `${INPUT} -live_start_index 0` : INPUT, output);
  }
  const known = support.get(path) ?? limitsRequests(path);
  support.set(path, known);
  return withArguments((await known) ? `${INPUT} ${SMALL_REQUESTS}` : INPUT, OUTPUT);
}

/** ffmpeg before version 8 does not. */
async function limitsRequests(ffmpeg: string): Promise<boolean> {
  const args = ['-hide_banner', '-h', 'protocol=http'];
  const options = { cwd: '/', env: bareEnvironment(ffmpeg), timeoutMs: 10_000, maxStdoutChars: 100_000 };
  const result = await run(ffmpeg, args, options).catch(() => undefined);
  return result?.stdout.includes('-initial_request_size') === true;
}

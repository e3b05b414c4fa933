import { channel } from 'node:diagnostics_channel';

/** How a program ended: by its exit code, by a limit or cancellation of this process, or by a signal of the system. */
export type ProgramEnd =
  'ok' | 'failed' | 'not_started' | 'cancelled' | 'timeout' | 'output_limit' | 'folder_limit' | 'killed';

/** A typed diagnostics channel, by which code without access to metrics and traces reports events. */
function eventChannel<Event>(name: string) {
  const own = channel(`tapedeck.${name}`);
  return {
    publish: (event: Readonly<Event>): void => own.publish(event),
    subscribe: (listener: (event: Readonly<Event>) => void): void => own.subscribe((event) => listener(event as Event)),
  };
}

/** Programs that have ended. */
export const programRuns = eventChannel<{ program: string; seconds: number; end: ProgramEnd }>('program-runs');
/** Windows of audio, with the time that their transcription took. */
export const transcribedWindows = eventChannel<{ engine: string; audioSeconds: number; seconds: number }>(
  'transcribed-windows',
);
/** Results of update checks of yt-dlp: `fetched`, `switched`, `refused` or `trouble`. */
export const ytdlpReleases = eventChannel<{ what: string }>('yt-dlp-releases');

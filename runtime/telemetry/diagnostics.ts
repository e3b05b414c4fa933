import { channel } from 'node:diagnostics_channel';

/** How a program ended: by its exit code, by a limit or cancellation of this process, or by a signal of the system. */
export type ProgramEnd =
  'ok' | 'failed' | 'not_started' | 'cancelled' | 'timeout' | 'output_limit' | 'folder_limit' | 'killed';

export interface ProgramRun {
  readonly program: string;
  readonly seconds: number;
  readonly end: ProgramEnd;
}

export interface TranscribedWindow {
  readonly engine: string;
  readonly audioSeconds: number;
  /** The time that the transcription took. */
  readonly seconds: number;
}

/** The result of an update check of yt-dlp: `fetched`, `switched`, `refused` or `trouble`. */
export interface YtdlpReleaseEvent {
  readonly what: string;
}

/** A typed diagnostics channel, by which code without access to metrics and traces reports events. */
function eventChannel<Event>(name: string) {
  const own = channel(`tapedeck.${name}`);
  return {
    publish: (event: Event): void => own.publish(event),
    subscribe: (listener: (event: Event) => void): void => own.subscribe((event) => listener(event as Event)),
  };
}

export const programRuns = eventChannel<ProgramRun>('program-runs');
export const transcribedWindows = eventChannel<TranscribedWindow>('transcribed-windows');
export const ytdlpReleases = eventChannel<YtdlpReleaseEvent>('yt-dlp-releases');

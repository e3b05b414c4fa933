import { channel } from 'node:diagnostics_channel';

/** How a program ended: by its exit code, or because we ended it, or the system did. */
export type ProgramEnd =
  'ok' | 'failed' | 'not_started' | 'cancelled' | 'timeout' | 'output_limit' | 'folder_limit' | 'killed';

/** A program that has ended. */
export interface ProgramRun {
  /** Its name, without a path. */
  readonly program: string;
  readonly seconds: number;
  readonly end: ProgramEnd;
}

/** A window of audio that an engine has heard. */
export interface HeardWindow {
  readonly engine: string;
  /** How long the window is. */
  readonly audioSeconds: number;
  /** How long it took. */
  readonly seconds: number;
}

/** What came of a release of yt-dlp: `fetched`, `switched`, `refused` or `trouble`. */
export interface YtdlpReleaseEvent {
  readonly what: string;
}

/** What deep places tell whoever listens. Where nobody does, nothing is made. */
export interface DiagnosticsEvents<Message> {
  tell(message: () => Message): void;
  listen(listener: (message: Message) => void): void;
}

function told<Message>(name: string): DiagnosticsEvents<Message> {
  const own = channel(`tapedeck.${name}`);
  return {
    tell: (message) => {
      if (own.hasSubscribers) own.publish(message());
    },
    listen: (listener) => own.subscribe((message) => listener(message as Message)),
  };
}

export const programRuns = told<ProgramRun>('program-runs');
export const heardWindows = told<HeardWindow>('heard-windows');
export const ytdlpReleases = told<YtdlpReleaseEvent>('yt-dlp-releases');

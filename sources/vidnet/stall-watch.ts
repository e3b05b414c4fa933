import { JobError } from '../../runtime/job-error.ts';
import { folderBytes } from '../../runtime/subprocess/folder-watch.ts';

/**
 * Fewest bytes of a download in a while. yt-dlp waits 20 s for each piece, however small: a host that sends a byte now and
 * then would hold a job for hours. Longer than yt-dlp takes to give a silent host up, which it can explain better.
 */
export const LEAST_RATE = { bytes: 65_536, windowMs: 120_000 } as const;

/** @returns what ends the watching */
export function watchForStall(
  folder: string,
  leastRate: { readonly bytes: number; readonly windowMs: number },
  onStall: (error: JobError) => void,
): () => void {
  let isOver = false;
  let before: number | undefined;
  const look = async (): Promise<void> => {
    const now = await folderBytes(folder);
    if (isOver) return;
    if (before !== undefined && now - before < leastRate.bytes) {
      onStall(new JobError('upstream_timeout', 'The video platform sends next to nothing.'));
    }
    before = now;
  };
  void look();
  const timer = setInterval(() => void look(), leastRate.windowMs);
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

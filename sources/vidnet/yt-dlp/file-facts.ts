import { stat } from 'node:fs/promises';

/** @returns a text that changes with the file, equal to that of warm-yt-dlp.py; empty if there is no such file, as inside a zip */
export function fileFacts(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(
    ({ ino, mtimeNs, size }) => [ino, mtimeNs, size].join('-'),
    () => '',
  );
}

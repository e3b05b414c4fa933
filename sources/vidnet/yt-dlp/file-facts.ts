import { stat } from 'node:fs/promises';

/** @returns what changes with a file, as warm-yt-dlp.py tells it too; nothing for one that is not there, such as one in a zip */
export function fileFacts(path: string): Promise<string> {
  return stat(path, { bigint: true }).then(
    ({ ino, mtimeNs, size }) => [ino, mtimeNs, size].join('-'),
    () => '',
  );
}

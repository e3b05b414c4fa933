import { createHash } from 'node:crypto';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { processIdentity } from '../../../runtime/subprocess/process-facts.ts';

const KIND = 'tapedeck-yt-dlp';

/**
 * Creates a private folder for a warm parent, and removes those of killed workers. It is in the system's temporary folder, because
 * the path of a socket has at most 107 bytes. Its name is `tapedeck-yt-dlp~<host>~<process>~<random>`.
 */
export async function openParentFolder(): Promise<string> {
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  await removeAbandoned(host);
  const owner = processIdentity(process.pid) ?? String(process.pid);
  return mkdtemp(join(tmpdir(), `${[KIND, host, owner].join('~')}~`));
}

async function removeAbandoned(ofHost: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [kind, host, owner = ''] = name.split('~');
    if (kind !== KIND || host !== ofHost || processIdentity(Number.parseInt(owner, 10)) === owner) continue;
    const path = join(tmpdir(), name);
    // Every user can write to this folder, so a matching name does not prove that this user owns the entry.
    const isOwn = await lstat(path).then(
      ({ uid }) => uid === process.getuid?.(),
      () => false,
    );
    // Another worker may remove it too. The next worker retries what remains.
    if (isOwn) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

import { createHash } from 'node:crypto';

const VIDEO_ID_CHARS = 11;
const CHANNEL_ID_CHARS = 22;

/** A video id in the platform's form, always the same for the same parts. */
export function videoIdFrom(...parts: readonly string[]): string {
  return digest(parts).slice(0, VIDEO_ID_CHARS);
}

export interface Naming {
  videoId(id: string): string;
  channelId(id: string): string;
  handle(handle: string): string;
}

/** Names as they are, or, with a salt, others: two sandboxes with different salts never share an id. */
export function namingOf(salt: string | undefined): Naming {
  if (salt === undefined) return { videoId: (id) => id, channelId: (id) => id, handle: (handle) => handle };
  return {
    // A leading dash is what some entries are there for.
    videoId: (id) => (id.startsWith('-') ? `-${videoIdFrom(salt, id).slice(1)}` : videoIdFrom(salt, id)),
    channelId: (id) => `UC${digest([salt, id]).slice(0, CHANNEL_ID_CHARS)}`,
    handle: (handle) => `${handle}-${createHash('sha256').update(`${salt}\0${handle}`).digest('hex').slice(0, 8)}`,
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}

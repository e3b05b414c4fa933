import { createHash } from 'node:crypto';

const VIDEO_ID_CHARS = 11;
const CHANNEL_ID_CHARS = 22;
const COMMENT_ID_CHARS = 16;
const REPLY_ID_CHARS = 22;

/** A video id in the platform's form, always the same for the same parts. */
export function videoIdFrom(...parts: readonly string[]): string {
  return digest(parts).slice(0, VIDEO_ID_CHARS);
}

/** A channel id in the platform's form. */
export function channelIdFrom(...parts: readonly string[]): string {
  return `UC${digest(parts).slice(0, CHANNEL_ID_CHARS)}`;
}

/** The id of a comment on a video, in the platform's form. */
export function commentIdFrom(...parts: readonly string[]): string {
  return `Ugx${digest(parts).slice(0, COMMENT_ID_CHARS)}4AaABAg`;
}

/** The id of an answer: the platform names the thread in it. */
export function replyIdFrom(threadId: string, ...parts: readonly string[]): string {
  return `${threadId}.${digest([threadId, ...parts]).slice(0, REPLY_ID_CHARS)}`;
}

export interface Naming {
  videoId(id: string): string;
  channelId(id: string): string;
  /** A handle, or NAME of /c/NAME and /user/NAME. */
  name(name: string): string;
}

/** Names as they are, or, with a salt, others: two sandboxes with different salts never share an id. */
export function namingOf(salt: string | undefined): Naming {
  const same = (value: string): string => value;
  if (salt === undefined) return { videoId: same, channelId: same, name: same };
  return {
    // A leading dash is what some entries are there for.
    videoId: (id) => (id.startsWith('-') ? `-${videoIdFrom(salt, id).slice(1)}` : videoIdFrom(salt, id)),
    channelId: (id) => channelIdFrom(salt, id),
    name: (name) => `${name}-${createHash('sha256').update(`${salt}\0${name}`).digest('hex').slice(0, 8)}`,
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}

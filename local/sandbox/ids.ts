import { createHash } from 'node:crypto';

/** A video id in the platform's form, always the same for the same parts. */
export function videoIdFrom(...parts: readonly string[]): string {
  return digest(parts).slice(0, 11);
}

/** A channel id in the platform's form. */
export function channelIdFrom(...parts: readonly string[]): string {
  return `UC${digest(parts).slice(0, 22)}`;
}

/** The id of a comment on a video, in the platform's form. */
export function commentIdFrom(...parts: readonly string[]): string {
  return `Ugx${digest(parts).slice(0, 16)}4AaABAg`;
}

/** The id of an answer: the platform names the thread in it. */
export function replyIdFrom(threadId: string, ...parts: readonly string[]): string {
  return `${threadId}.${digest([threadId, ...parts]).slice(0, 22)}`;
}

export type Naming = ReturnType<typeof namingOf>;

/** Names as they are, or, with a salt, others: two sandboxes with different salts never share an id. */
export function namingOf(salt: string | undefined) {
  const same = (value: string): string => value;
  if (salt === undefined) return { videoId: same, channelId: same, name: same };
  return {
    // A leading dash is what some entries are there for.
    videoId: (id: string) => (id.startsWith('-') ? `-${videoIdFrom(salt, id).slice(1)}` : videoIdFrom(salt, id)),
    channelId: (id: string) => channelIdFrom(salt, id),
    /** Of a handle, or NAME of /c/NAME and /user/NAME. */
    name: (name: string) => `${name}-${createHash('sha256').update(`${salt}\0${name}`).digest('hex').slice(0, 8)}`,
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}

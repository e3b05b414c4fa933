import { createHash } from 'node:crypto';

// Generates IDs in the form of the platform. The same parts give the same ID.

export function videoIdFrom(...parts: readonly string[]): string {
  return digest(parts).slice(0, 11);
}

export function channelIdFrom(...parts: readonly string[]): string {
  return `UC${digest(parts).slice(0, 22)}`;
}

export function commentIdFrom(...parts: readonly string[]): string {
  return `Ugx${digest(parts).slice(0, 16)}4AaABAg`;
}

export function replyIdFrom(threadId: string, ...parts: readonly string[]): string {
  return `${threadId}.${digest([threadId, ...parts]).slice(0, 22)}`;
}

export type Naming = ReturnType<typeof namingOf>;

/** Changes names by a salt, if there is one, so that sandboxes with different salts share no ID. */
export function namingOf(salt: string | undefined) {
  const same = (value: string): string => value;
  if (salt === undefined) return { videoId: same, channelId: same, name: same };
  return {
    // Some entries exist to test a leading dash.
    videoId: (id: string) => (id.startsWith('-') ? `-${videoIdFrom(salt, id).slice(1)}` : videoIdFrom(salt, id)),
    channelId: (id: string) => channelIdFrom(salt, id),
    name: (name: string) => `${name}-${createHash('sha256').update(`${salt}\0${name}`).digest('hex').slice(0, 8)}`,
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('base64url');
}

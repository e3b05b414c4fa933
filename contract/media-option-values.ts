// This file has no schemas, so that the console can load it.

/** What a file of each container can hold besides pictures and sound. */
export const CONTAINERS = {
  mp4: { format: 'video', holds: ['tags', 'cover', 'chapters', 'captions'] },
  mkv: { format: 'video', holds: ['tags', 'cover', 'chapters', 'captions'] },
  webm: { format: 'video', holds: ['tags', 'chapters', 'captions'] },
  m4a: { format: 'audio', holds: ['tags', 'cover', 'chapters'] },
  mp3: { format: 'audio', holds: ['tags', 'cover', 'chapters'] },
  opus: { format: 'audio', holds: ['tags', 'cover', 'chapters'] },
  flac: { format: 'audio', holds: ['tags', 'cover'] },
  wav: { format: 'audio', holds: ['tags'] },
} as const satisfies Record<string, { format: 'audio' | 'video'; holds: readonly string[] }>;
export type Container = keyof typeof CONTAINERS;
export const DEFAULT_CONTAINERS = { audio: 'm4a', video: 'mp4' } as const;

export const SPONSORBLOCK_CATEGORIES = [
  ...['sponsor', 'selfpromo', 'interaction', 'intro', 'outro', 'preview', 'hook', 'filler', 'music_offtopic'],
] as const;

/** The fields that a template of a file name may contain. */
export const NAME_FIELDS = ['title', 'uploader', 'date', 'id', 'height', 'language'] as const;

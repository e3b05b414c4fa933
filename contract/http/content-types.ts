const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ...{ m4a: 'audio/mp4', mp3: 'audio/mpeg', opus: 'audio/ogg', flac: 'audio/flac', wav: 'audio/wav' },
  ...{ jpg: 'image/jpeg', png: 'image/png', webp: 'image/webp', avif: 'image/avif', heic: 'image/heic' },
  ...{ mp4: 'video/mp4', mkv: 'video/matroska', webm: 'video/webm' },
};

export function contentTypeOf(name: string): string {
  return CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

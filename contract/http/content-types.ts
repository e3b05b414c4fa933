const CONTENT_TYPES: Readonly<Record<string, string>> = { m4a: 'audio/mp4', mp4: 'video/mp4' };

export function contentTypeOf(name: string): string {
  return CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

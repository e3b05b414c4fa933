const UNITS = ['kB', 'MB', 'GB'] as const;

/** @returns such as `487.3 kB` */
export function sizeText(sizeBytes: number): string {
  if (sizeBytes < 1000) return `${String(sizeBytes)} bytes`;
  const power = Math.min(UNITS.length, Math.floor(Math.log10(sizeBytes) / 3));
  return `${(sizeBytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1] ?? 'kB'}`;
}

/** @returns such as `3.2 s` */
export function secondsText(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

import { rttmLine, type RttmSegment } from '../../../contract/text/rttm.ts';

/** Reads the SPEAKER lines; comments (`;;`) and lines of other types are left out. @throws Error that names a wrong line */
export function readRttm(text: string): RttmSegment[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const [type, file, , start = '', duration = '', , , speaker] = line.trim().split(/\s+/);
    if (type !== 'SPEAKER') return [];
    const [startSeconds, seconds] = [Number(start), Number(duration)];
    const isRight = start !== '' && duration !== '' && startSeconds >= 0 && seconds >= 0;
    if (!isRight || file === undefined || speaker === undefined)
      throw new Error(`line ${index + 1} is no RTTM: ${line}`);
    return [{ file, speaker, startSeconds, endSeconds: startSeconds + seconds }];
  });
}

export function writeRttm(segments: readonly RttmSegment[]): string {
  return segments.map(rttmLine).join('');
}

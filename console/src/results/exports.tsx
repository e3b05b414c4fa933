import type { JSX } from 'preact';
import { Icon } from '../ui/icons.tsx';
import { exported, FORMATS, type Names, type Transcript } from './transcript-lines.ts';
import { save } from './save.ts';

/** Offers a transcript as a file, with the names that the user gave its speakers. */
export function Exports({
  transcript,
  names,
  fileName,
}: {
  readonly transcript: Transcript;
  readonly names: Names;
  readonly fileName: string;
}): JSX.Element {
  // RTTM needs voice segments.
  const formats = FORMATS.filter((format) => format !== 'rttm' || transcript.turns.length > 0);
  return (
    <div class="line exports" role="group" aria-label="Save the transcript as">
      <Icon name="down" />
      {formats.map((format) => (
        <button
          key={format}
          type="button"
          class="button"
          onClick={() => save(`${fileName}.${format}`, exported(transcript, format, names))}
        >
          {format.toUpperCase()}
        </button>
      ))}
    </div>
  );
}

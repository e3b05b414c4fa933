import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { exported, FORMATS, type Names, type Transcript } from './transcript-lines.ts';

interface ExportsProps {
  readonly transcript: Transcript;
  readonly names: Names;
  readonly fileName: string;
}

export function Exports({ transcript, names, fileName }: ExportsProps) {
  // RTTM needs voice segments.
  const formats = FORMATS.filter((format) => format !== 'rttm' || transcript.voiceSegments.length > 0);
  return (
    <div class="line" role="group" aria-label="Save the transcript as">
      <Icon name="down" />
      {formats.map((format) => (
        <Button key={format} onClick={() => saveText(`${fileName}.${format}`, exported(transcript, format, names))}>
          {format.toUpperCase()}
        </Button>
      ))}
    </div>
  );
}

function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started to read the URL by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

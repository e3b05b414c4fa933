import { readText } from '../console-api.ts';
import { Button } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { ErrorNotice } from '../ui/parts.tsx';

interface ExportsProps {
  /** The transcript in the API, which is the JSON; with an ending it is a file. */
  readonly path: string;
  readonly formats: readonly string[];
  readonly fileName: string;
  readonly isChanging?: boolean;
}

export function Exports({ path, formats, fileName, isChanging = false }: ExportsProps) {
  const { isRunning, thrown, run } = useAction();
  const save = async (format: string): Promise<void> =>
    saveText(`${fileName}.${format}`, await readText(format === 'json' ? path : `${path}.${format}`));
  return (
    <>
      <div class="line" role="group" aria-label="Save the transcript as">
        <Icon name="down" />
        {[...formats, 'json'].map((format) => (
          <Button key={format} disabled={isRunning || isChanging} onClick={() => run(() => save(format))}>
            {format.toUpperCase()}
          </Button>
        ))}
      </div>
      <ErrorNotice thrown={thrown} />
    </>
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

import { useEffect, useRef, useState } from 'preact/hooks';
import { authorization } from '../console-api.ts';
import { bytesText } from '../format-values.ts';
import { navigate } from '../router.ts';
import { jobPath } from '../start.ts';
import { Button } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { ErrorNotice } from '../ui/parts.tsx';

/** Sends a recording that the user chooses, or drops anywhere on the page, and opens its job. */
export function DropFile() {
  const [sending, setSending] = useState<{ readonly file: File; readonly sent: number }>();
  const { isRunning, thrown, run } = useAction();
  const chooser = useRef<HTMLInputElement>(null);
  const stop = useRef<() => void>(() => undefined);
  const start = (file: File | undefined): void => {
    if (file === undefined || isRunning) return;
    const onSent = (sent: number): void => setSending({ file, sent });
    onSent(0);
    run(async () => navigate(jobPath([await send(file, { onSent, onStop: (end) => (stop.current = end) })])));
  };
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      const [file] = event.dataTransfer?.files ?? [];
      if (file === undefined) return;
      event.preventDefault();
      start(file);
    };
    document.addEventListener('dragover', over);
    document.addEventListener('drop', drop);
    return () => {
      document.removeEventListener('dragover', over);
      document.removeEventListener('drop', drop);
    };
  });
  useEffect(() => () => stop.current(), []);
  return (
    <section aria-label="A recording of your own">
      <input
        ref={chooser}
        type="file"
        accept="audio/*,video/*"
        hidden
        aria-label="A recording"
        onChange={({ currentTarget }) => start(currentTarget.files?.[0])}
      />
      {sending === undefined || !isRunning ? (
        <p class="row">
          <Button icon="audio" onClick={() => chooser.current?.click()}>
            Choose a recording
          </Button>
          <span class="quiet">or drop one here</span>
        </p>
      ) : (
        <p class="row" role="status">
          <progress max={sending.file.size} value={sending.sent} aria-label={`Sending ${sending.file.name}`} />
          <span dir="auto">
            {sending.file.name}: {bytesText(sending.sent)} of {bytesText(sending.file.size)}
          </span>
          <Button onClick={() => stop.current()}>Cancel</Button>
        </p>
      )}
      <ErrorNotice thrown={thrown} />
    </section>
  );
}

interface Hooks {
  readonly onSent: (bytes: number) => void;
  readonly onStop: (stop: () => void) => void;
}

/** Sends a file, and continues an earlier attempt of this browser. @returns the ID of its job */
async function send(file: File, { onSent, onStop }: Hooks): Promise<string> {
  // Most users send nothing, so the code is loaded on demand.
  const { DetailedError, Upload } = await import('tus-js-client');
  const messageOf = (error: Error): string => {
    const body = error instanceof DetailedError ? error.originalResponse?.getBody() : undefined;
    try {
      return (JSON.parse(body ?? '') as { readonly error: string }).error;
    } catch {
      return 'The recording could not be sent. Choose it again to continue.';
    }
  };
  return new Promise<string>((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: '/api/uploads',
      headers: authorization(),
      metadata: { filename: file.name.slice(0, 300), filetype: file.type || 'video/x-unknown' },
      retryDelays: [0, 1_000, 3_000, 5_000, 10_000, 20_000],
      removeFingerprintOnSuccess: true,
      onProgress: onSent,
      onError: (error) => reject(new Error(messageOf(error))),
      onSuccess: () => resolve(upload.url?.split('/').at(-1) ?? ''),
    });
    onStop(
      () => void upload.abort().finally(() => reject(new Error('Stopped. Choose the recording again to continue.'))),
    );
    upload.findPreviousUploads().then(([known]) => {
      if (known !== undefined) upload.resumeFromPreviousUpload(known);
      upload.start();
    }, reject);
  });
}

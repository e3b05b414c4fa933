import { useEffect } from 'preact/hooks';
import { navigate } from '../router.ts';
import { jobPath, start } from '../start.ts';
import type { Download } from '../types.ts';
import { Button } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { ErrorNotice } from '../ui/parts.tsx';

/** Requests speaker labels as soon as the audio is complete. The wish is part of the URL, so a reload keeps it. */
export function FollowUp({ record }: { readonly record: Download }) {
  const { thrown, run } = useAction();
  const { status, transcript_speaker_id: audioId } = record;
  const startJob = (): void => {
    if (status !== 'success' || audioId === null) return;
    const request = { path: '/api/transcriptspeakerid', body: { transcript_with_speaker_id: audioId } };
    run(async () => navigate(jobPath(await start(request)), { isReplaced: true }));
  };
  useEffect(startJob, [status, audioId]);
  return (
    <div class="notice" role="status">
      <Icon name="speakers" />
      <div>
        <p>
          {status === 'pending'
            ? 'When the audio is here, the transcript with speakers begins by itself.'
            : 'The transcript with speakers is being requested.'}
        </p>
        <ErrorNotice thrown={thrown}>
          <Button onClick={startJob}>Ask again</Button>
        </ErrorNotice>
      </div>
    </div>
  );
}

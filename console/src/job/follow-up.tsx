import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { navigate } from '../router.ts';
import { placeOf, start } from '../start.ts';
import type { Download } from '../types.ts';
import { useAction } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { Trouble } from '../ui/parts.tsx';

/** Asks for the speakers as soon as the audio is here. The wish stands in the address, so a reload does not lose it. */
export function FollowUp({ record }: { readonly record: Download }): JSX.Element {
  const { thrown, run } = useAction();
  const { status, transcript_speaker_id: audioId } = record;
  const ask = (): void => {
    if (status !== 'success' || audioId === null) return;
    const request = { path: '/api/transcriptspeakerid', body: { transcript_with_speaker_id: audioId } };
    run(async () => navigate(placeOf(await start(request)), { isReplaced: true }));
  };
  useEffect(ask, [status, audioId]);
  return (
    <div class="notice" role="status">
      <Icon name="speakers" />
      <div>
        <p>
          {status === 'pending'
            ? 'When the audio is here, the transcript with speakers begins by itself.'
            : 'The transcript with speakers is being asked for.'}
        </p>
        <Trouble thrown={thrown}>
          <button type="button" class="button" onClick={ask}>
            Ask again
          </button>
        </Trouble>
      </div>
    </div>
  );
}

import { randomBytes } from 'node:crypto';
import type { Env } from '../../local/engines/environment.ts';
import { withoutSettings } from '../../local/stack.ts';

/** Tools that the machine has; everything else is the run's own, whatever the user's service is set to. */
const TAKEN_OVER = /^((YTDLP|FFMPEG|FFPROBE|SPEECH_PYTHON)_PATH|SPEECH_VAD_MODEL_PATH)$/;

export const DATABASE = 'chaos';

/** The settings of the service under test. @param own of them, those that a run has otherwise */
export function chaosSettings(given: Env, own: Env = {}): Env & { readonly WEBHOOK_SECRETS: string } {
  return {
    ...withoutSettings(given, TAKEN_OVER),
    ALLOW_ANONYMOUS: 'false',
    MONGODB_DATABASE: DATABASE,
    TASK_QUEUE: 'chaos',
    // The run is about faults and not about limits.
    RATE_LIMIT_PER_MINUTE: '1000000',
    VIDNET_STARTS_PER_MINUTE: '6000',
    IMGNET_STARTS_PER_MINUTE: '6000',
    SHUTDOWN_GRACE_SECONDS: '3',
    SPEECH_ENGINE: 'builtin',
    MAX_SPEECH_WINDOWS: '1',
    // One or two windows for each talk of 15 to 30 s.
    SPEECH_WINDOW_SECONDS: '20',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...own,
    WEBHOOK_SECRETS: `whsec_${randomBytes(32).toString('base64')}`,
  };
}

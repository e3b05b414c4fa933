import { randomBytes } from 'node:crypto';
import { settings } from '../../config.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Tools that the machine has; everything else is the run's own, whatever the user's service is set to. */
const TAKEN_OVER = new Set([
  'YTDLP_PATH',
  'FFMPEG_PATH',
  'FFPROBE_PATH',
  'SPEECH_PYTHON_PATH',
  'SPEECH_VAD_MODEL_PATH',
]);
const ENGINE_PORTS = ['TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'MONGODB_PORT'];

export const DATABASE = 'chaos';

/** The settings of the service under test. */
export function chaosSettings(given: Env): Env & { readonly WEBHOOK_SECRETS: string } {
  const cleared = [...Object.keys(settings.shape), ...ENGINE_PORTS].filter((name) => !TAKEN_OVER.has(name));
  return {
    ...given,
    ...Object.fromEntries(cleared.map((name) => [name, undefined])),
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
    WEBHOOK_SECRETS: `whsec_${randomBytes(32).toString('base64')}`,
  };
}

import type { Stage } from './stage.ts';

const WATCHABLE_SECONDS = 3;

/** Makes the sandbox send the video's audio so slowly that its progress can be watched. @returns bytes a second */
export async function slowDown({ sandbox, video }: Stage): Promise<number> {
  const audio = video.formats.filter(({ facts }) => facts.vcodec === 'none' && facts.ext === 'm4a');
  const candidates = audio.length > 0 ? audio : video.formats;
  const sizeBytes = Math.max(1, ...candidates.map(({ facts }) => facts.sizeBytes));
  const bytesPerSecond = Math.ceil(sizeBytes / WATCHABLE_SECONDS);
  const change = { video: video.id, target: 'media', mode: 'slow', bytes_per_second: bytesPerSecond };
  const response = await fetch(`${sandbox.url}/misbehave`, { method: 'POST', body: JSON.stringify(change) });
  if (!response.ok) throw new Error(`the sandbox does not slow down: ${await response.text()}`);
  await response.body?.cancel();
  return bytesPerSecond;
}

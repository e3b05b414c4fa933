import { z } from 'zod';
import type { AudioRecord } from '../../contract/kinds/audio.ts';
import type { Scene } from './job.ts';

const statsSchema = z.object({ videos: z.record(z.string(), z.object({ complete_media_bodies: z.number() })) });

/** The same request once more. @throws when it is not answered at once with the same record */
export async function askAgain(record: AudioRecord, { stage, terminal, service }: Scene): Promise<void> {
  const started = Date.now();
  const again = await service.requestAudio(stage.video.id, stage.receiver.url);
  const durationMs = Date.now() - started;
  if (again.status !== 200 || again.body.data.id !== record.id) {
    throw new Error(`the second request was answered ${String(again.status)} with record ${again.body.data.id}`);
  }
  const stats = statsSchema.parse(await (await fetch(`${stage.sandbox.url}/stats`)).json());
  const fetched = stats.videos[stage.video.id]?.complete_media_bodies;
  if (fetched !== 1) throw new Error(`the media was fetched ${String(fetched)} times, not once`);
  terminal.heading('The same request again');
  terminal.fact('Answer', `200 after ${String(durationMs)} ms: the same record, nothing fetched or charged again`);
}

import type { AudioRecord } from '../../contract/kinds/audio.ts';
import { secondsText, sizeText } from './format.ts';
import type { Service } from './service.ts';
import { slowDown } from './slow-down.ts';
import type { Stage } from './stage.ts';
import type { Terminal } from './terminal.ts';
import { watch } from './watch.ts';

export interface Scene {
  readonly stage: Stage;
  readonly service: Service;
  readonly terminal: Terminal;
  /** Where the demo leaves what a caller would get. */
  readonly dataDir: string;
  readonly signal: AbortSignal;
}

/** The main job, from the request to the record. @throws when it is not accepted, fails, or stands still */
export async function runJob(scene: Scene): Promise<AudioRecord> {
  const { stage, service, terminal } = scene;
  const { receiver, video } = stage;
  terminal.heading('Job');
  terminal.fact('Video', `${video.title} (${video.id}, ${(video.durationSeconds ?? 0).toFixed(1)} s)`);

  const test = await service.testWebhook(receiver.url);
  if (test.body.status !== 'success') throw new Error(`the webhook URL failed its test: ${test.body.message}`);
  terminal.fact('Webhook test', `${receiver.url} answered ${String(test.body.http_status)}`);

  const bytesPerSecond = await slowDown(stage);
  terminal.fact('Sandbox', `slowed down to ${sizeText(bytesPerSecond)} a second, so that there is something to see`);
  const started = Date.now();
  const accepted = await service.requestAudio(video.id, receiver.url);
  if (accepted.status !== 202)
    throw new Error(`POST /api/downloads/audio answered ${String(accepted.status)}, not 202`);
  terminal.fact('Request', `POST /api/downloads/audio: 202 after ${String(Date.now() - started)} ms`);

  const record = await watch(async () => (await service.getDownload(accepted.body.data.id)).body.data, scene);
  if (record.status !== 'success') throw new Error(`the job failed: ${record.response ?? 'it does not say why'}`);
  terminal.fact('Result', `success after ${secondsText(Date.now() - started)}, for ${record.cost}`);
  return record;
}

import { isDeepStrictEqual } from 'node:util';
import type { AudioRecord } from '../../contract/kinds/audio.ts';
import { kinds } from '../../contract/kinds.ts';
import { webhookHeaders } from '../../contract/webhooks.ts';
import type { Scene } from './job.ts';
import { audioResultSchema, type AudioResult } from './service.ts';

const ARRIVES_WITHIN_MS = 30_000;

/** Waits for the webhook and compares it with what it must be. @throws when it does not come or is another */
export async function showWebhook(record: AudioRecord, { stage, terminal, service, signal }: Scene): Promise<void> {
  const { endpoint } = kinds[record.type];
  const late = AbortSignal.timeout(ARRIVES_WITHIN_MS);
  const webhook = await stage.receiver.webhook(endpoint, AbortSignal.any([signal, late])).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Error(`no webhook within ${String(ARRIVES_WITHIN_MS / 1000)} s`, { cause: error });
  });
  terminal.heading('Webhook');
  for (const [name, value] of Object.entries(
    webhookHeaders({ endpoint, originalStatus: 200, downloadId: record.id }),
  )) {
    const arrived = webhook.headers[name.toLowerCase()];
    if (arrived !== value) throw new Error(`the webhook has ${name}: ${arrived ?? 'nothing'}, not ${value}`);
    terminal.fact(name === 'Content-Type' ? 'Headers' : '', `${name}: ${arrived}`);
  }
  const body = audioResultSchema.parse(JSON.parse(webhook.body));
  const answer = (await service.getDownload(record.id)).body;
  if (!isDeepStrictEqual(withoutFreshness(body), withoutFreshness(answer))) {
    throw new Error(`the webhook's body is not what the endpoint answers:\n${webhook.body}\n${JSON.stringify(answer)}`);
  }
  terminal.fact('Body', `what GET /downloads/${record.id} answers; only the link's Expires and Signature may differ`);
}

function withoutFreshness({ data }: AudioResult): unknown {
  const link = data.audio_url === null ? null : new URL(data.audio_url);
  return { ...data, audio_url: link && link.origin + link.pathname };
}

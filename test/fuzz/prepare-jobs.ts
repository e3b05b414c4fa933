import type { Sandbox } from '../../local/sandbox/server.ts';

/**
 * Finishes some jobs, so that lists are not empty, and links lead to results: ids that are made up find nothing.
 *
 * @throws when one is refused
 */
export async function prepareJobs({
  serviceUrl,
  sandbox,
  key,
}: {
  readonly serviceUrl: string;
  readonly sandbox: Pick<Sandbox, 'url' | 'catalogue'>;
  readonly key?: string | undefined;
}): Promise<void> {
  const headers = { prefer: 'wait=60', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
  const video = sandbox.catalogue.find((one) => one.case === 'ordinary')?.id;
  // The sandbox takes no webhooks: what is delivered there is abandoned.
  const asks = [
    ['/api/downloads/audio', { vidnet_video_id: video, include_webhook: `${sandbox.url}/` }],
    ['/api/downloads/video', { vidnet_video_id: video }],
    ['/api/transcripts', { vidnet_video_id: video, language: 'en' }],
  ] as const;
  for (const [path, body] of asks) {
    const answer = await fetch(serviceUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${String(answer.status)}: ${await answer.text()}`);
    await answer.body?.cancel();
  }
}

// An example: a workflow of any namespace requests a job of Tapedeck and awaits its result.
import { createNexusServiceClient } from '@temporalio/workflow';
import { operation, service } from 'nexus-rpc';

interface Request {
  readonly operation: 'requestAudio';
  readonly vidnet_video_id: string;
}
interface Download {
  readonly data: { readonly id: string; readonly status: 'success' | 'failed'; readonly audio_url: string | null };
}
const tapedeck = service('tapedeck', { job: operation<Request, Download>() });

export async function audioOf(videoId: string, endpoint = 'tapedeck'): Promise<Download['data']> {
  const client = createNexusServiceClient({ service: tapedeck, endpoint });
  const { data } = await client.executeOperation('job', { operation: 'requestAudio', vidnet_video_id: videoId });
  return data;
}

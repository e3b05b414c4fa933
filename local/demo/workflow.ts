import type { AudioRecord } from '../../contract/kinds/audio.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import type { Scene } from './job.ts';

/** Where operators see the job. @throws when the Web UI does not know it */
export async function showWorkflow(record: AudioRecord, { stage, terminal, signal }: Scene): Promise<void> {
  const { temporalUiUrl, temporalAddress, env } = stage.stack;
  terminal.heading('Temporal Web UI');
  if (temporalUiUrl === undefined) {
    terminal.fact('Workflow', `no Web UI is known (TEMPORAL_UI_URL); Temporal is at ${temporalAddress}`);
    return;
  }
  const namespace = env['TEMPORAL_NAMESPACE'] ?? 'default';
  const path = `namespaces/${namespace}/workflows/${encodeURIComponent(subjectIdOf(record.type, record.media_id))}`;
  // The page is a program that asks this address; only its answer tells whether the workflow is there.
  const response = await fetch(`${temporalUiUrl}/api/v1/${path}`, { signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the Web UI answered ${String(response.status)} for ${path}`);
  terminal.fact('Workflow', `${temporalUiUrl}/${path}`, 'found there; the Web UI ends with the demo');
}

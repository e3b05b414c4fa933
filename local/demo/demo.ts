import { askAgain } from './again.ts';
import { fetchFile } from './file.ts';
import { runJob, type Scene } from './job.ts';
import { showSpeakers } from './speakers.ts';
import { showWebhook } from './webhook.ts';
import { showWorkflow } from './workflow.ts';

/** Plays the main job, and what can be made of its result, and checks all that it shows. @throws at the first thing that is not as promised */
export async function playDemo(scene: Scene): Promise<void> {
  const { terminal } = scene;
  const record = await runJob(scene);
  terminal.heading('Record');
  terminal.block(JSON.stringify(record, null, 2));
  await fetchFile(record, scene);
  await showWebhook(record, scene);
  await askAgain(record, scene);
  await showWorkflow(record, scene);
  await showSpeakers(record, scene);
}

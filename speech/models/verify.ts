import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from './hash.ts';
import { namesOfModels, readLock } from './models-folder.ts';

/** Whether a model is as it was installed. */
export interface Verdict {
  readonly name: string;
  /** `unknown`: put there by hand, so there is nothing to compare with. */
  readonly state: 'right' | 'wrong' | 'unknown';
  /** For a person. */
  readonly reason: string;
}

/** Reads every file of every model that is installed. */
export async function verifyModels(modelsDir: string): Promise<Verdict[]> {
  const { models } = await readLock(modelsDir);
  const verdicts: Verdict[] = [];
  for (const [name, { files }] of Object.entries(models)) {
    const wrong: string[] = [];
    for (const file of files) {
      const path = join(modelsDir, name, file.path);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined) wrong.push(`${file.path} is gone`);
      else if (found.size !== file.sizeBytes) wrong.push(`${file.path} has ${found.size} bytes, not ${file.sizeBytes}`);
      else if ((await sha256(path)) !== file.sha256) wrong.push(`${file.path} has another content`);
    }
    verdicts.push({
      name,
      state: wrong.length === 0 ? 'right' : 'wrong',
      reason: wrong.length === 0 ? `${files.length} files as they were installed` : wrong.join('; '),
    });
  }
  const byHand = (await namesOfModels(modelsDir)).filter((name) => !(name in models));
  return [
    ...verdicts,
    ...byHand.map((name): Verdict => ({
      name,
      state: 'unknown',
      reason: 'put there by hand: nothing to compare with',
    })),
  ];
}

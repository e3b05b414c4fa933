import { run } from '../../runtime/subprocess/run-program.ts';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll } from 'vitest';
import { defaultCacheDir, fingerprint, installOnce } from '../../local/engines/cache.ts';
import { programEnv } from '../../local/engines/environment.ts';
import { installPython } from '../../local/engines/python.ts';

const SOURCE = fileURLToPath(new URL('../speech/tiny-models', import.meta.url));
const SCRIPTS = ['build.py', 'graph.py', 'parakeet.py', 'voices.py'].map((name) => join(SOURCE, name));
/** The settings of the tiny models of voices. */
export const TINY_VOICES = {
  SPEECH_SEGMENTATION_MODEL: 'tiny-segmentation',
  SPEECH_EMBEDDING_MODEL: 'tiny-embedding',
};
const SET_UP_TIMEOUT_MS = 10 * 60_000;

/**
 * A models folder with tiny ONNX models, which test/speech/tiny-models builds into the cache when they are not there. The
 * first time takes about half a minute.
 */
export function useTinyModels(): { readonly folder: string } {
  let folder = '';
  beforeAll(async () => {
    const cacheDir = defaultCacheDir(process.env);
    const requirements = join(SOURCE, 'requirements.txt');
    const built = join(cacheDir, `tiny-models-${fingerprint(requirements, ...SCRIPTS)}`);
    await installOnce(built, async (staging) => {
      const python = await installPython({
        folder: join(cacheDir, `tiny-models-python-${fingerprint(requirements)}`),
        requirements,
        what: 'the onnx package',
        env: process.env,
        log: (line) => console.log(line),
      });
      const { exitCode, stderrTail } = await run(python, ['-E', '-s', '-B', join(SOURCE, 'build.py'), staging], {
        ...{ cwd: staging, env: programEnv(process.env), timeoutMs: 60_000 },
      });
      if (exitCode !== 0) throw new Error(stderrTail);
    });
    folder = built;
  }, SET_UP_TIMEOUT_MS);
  return {
    get folder() {
      return folder;
    },
  };
}

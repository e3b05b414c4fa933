import { chooseSpeech, type SpeechConfig } from '../../speech/choose-engine.ts';
import { DEFAULT_MODELS } from '../../speech/models/catalogue.ts';
import { runModels } from '../../speech/models/model-commands.ts';
import { reachReleases } from '../../speech/models/install.ts';
import type { Log } from './environment.ts';

/** A host that drops packets would delay every start. */
const ANSWER_WITHIN_MS = 10_000;

/** Whether an engine is set up that needs no Python packages. */
export async function hearsWithoutPython(config: SpeechConfig): Promise<boolean> {
  // Nothing is analysed, so no work folder is needed.
  return !('missing' in (await chooseSpeech({ ...config, SPEECH_PYTHON_PATH: undefined }, '')));
}

/** Whether no setting chooses an engine, so that models may be fetched. */
export function isUndecided({ SPEECH_ENGINE, SPEECH_OPENAI_URL, SPEECH_PYTHON_PATH }: SpeechConfig): boolean {
  return SPEECH_ENGINE === 'auto' && SPEECH_OPENAI_URL === undefined && SPEECH_PYTHON_PATH === undefined;
}

/** Installs a small set of models for the sherpa engine. A failure is logged, and a later start tries again. */
export async function fetchStarterModels(config: SpeechConfig, log: Log): Promise<void> {
  const { speechModelsDir: modelsDir, SPEECH_MODELS_URL } = config;
  const baseUrl = SPEECH_MODELS_URL.replace(/(?<!\/)\/+$/, '');
  try {
    await reachReleases(baseUrl, AbortSignal.timeout(ANSWER_WITHIN_MS));
    log(`speech: fetching models into ${modelsDir}, about 250 MB, once (SPEECH_ENGINE=builtin does without)`);
    const say = (line: string): void => log(`speech: ${line}`);
    const { signal } = new AbortController();
    await runModels('install', DEFAULT_MODELS, { modelsDir, baseUrl, isLive: false, say, signal });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log(`speech: no models for better words and speakers, so the builtin engine is used: ${why}`);
  }
}

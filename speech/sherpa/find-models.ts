import { join } from 'node:path';
import type { Missing } from '../speech-engine.ts';
import { CATALOGUE, type ModelRole } from '../models/catalogue.ts';
import { inspectModel, type InstalledModel, type Recogniser } from '../models/inspect.ts';
import { modelNamesIn, readLock, damagedFilesIn } from '../models/models-folder.ts';
import type { SpeechSettings } from '../speech-settings.ts';

type ModelSetting = 'SPEECH_ASR_MODEL' | 'SPEECH_SEGMENTATION_MODEL' | 'SPEECH_EMBEDDING_MODEL';

export type ModelSettings = Partial<Pick<SpeechSettings, ModelSetting>> & {
  readonly speechModelsDir: string;
};

export interface VoiceModels {
  readonly modelsDir: string;
  readonly segmentation: string;
  readonly embedding: string;
  readonly names: readonly string[];
}

export interface SherpaModels extends VoiceModels {
  readonly recogniser: Recogniser;
}

export async function findSherpaModels(settings: ModelSettings): Promise<SherpaModels | Missing> {
  const voices = await findSherpaVoices(settings);
  if ('missing' in voices) return voices;
  const found = await find(settings, 'recogniser', 'SPEECH_ASR_MODEL');
  if ('missing' in found) return found;
  return { ...voices, recogniser: found.recogniser, names: [found.name, ...voices.names] };
}

/** For an engine that gets the words from a server. */
export async function findSherpaVoices(settings: ModelSettings): Promise<VoiceModels | Missing> {
  const segmentation = await find(settings, 'segmentation', 'SPEECH_SEGMENTATION_MODEL');
  if ('missing' in segmentation) return segmentation;
  const embedding = await find(settings, 'embedding', 'SPEECH_EMBEDDING_MODEL');
  if ('missing' in embedding) return embedding;
  const names = [segmentation.name, embedding.name];
  return { modelsDir: settings.speechModelsDir, segmentation: segmentation.path, embedding: embedding.path, names };
}

export async function findVadModel(speechModelsDir: string): Promise<string | undefined> {
  const found = await find({ speechModelsDir }, 'vad');
  return 'missing' in found ? undefined : found.path;
}

async function find<Role extends ModelRole>(
  settings: ModelSettings,
  role: Role,
  setting?: ModelSetting,
): Promise<Extract<InstalledModel, { role: Role }> | Missing> {
  const modelsDir = settings.speechModelsDir;
  const wanted = setting && settings[setting];
  const names = await modelNamesIn(modelsDir);
  if (wanted !== undefined && !names.includes(wanted)) {
    return { missing: `${setting}=${wanted}: SPEECH_MODELS_DIR (${modelsDir}) does not contain this model.` };
  }
  for (const name of wanted === undefined ? names.sort(byRank) : [wanted]) {
    const model = await inspectModel(modelsDir, name);
    if (model?.role !== role) continue;
    const { models } = await readLock(modelsDir);
    const [problem] = await damagedFilesIn(join(modelsDir, name), models[name]);
    if (problem !== undefined) return { missing: `The model ${name} is damaged: ${problem}.` };
    return model as Extract<InstalledModel, { role: Role }>;
  }
  return {
    missing:
      wanted === undefined
        ? `There is no ${role} model in SPEECH_MODELS_DIR (${modelsDir}); \`npm run models -- install\` installs the default models.`
        : `${setting}=${wanted} is not a ${role} model.`,
  };
}

/** Models that were installed manually come last. */
function byRank(a: string, b: string): number {
  const rank = (name: string): number => {
    const index = CATALOGUE.findIndex((model) => model.name === name);
    return index === -1 ? CATALOGUE.length : index;
  };
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

import type { Missing } from '../engine.ts';
import { CATALOGUE, type ModelRole } from '../models/catalogue.ts';
import { inspectModel, type InstalledModel, type Recogniser } from '../models/inspect.ts';
import { namesOfModels, readLock, wrongSizeIn } from '../models/models-folder.ts';

export interface SherpaModelSettings {
  /** SPEECH_MODELS_DIR: absolute path of the folder with a folder for each model. */
  readonly modelsDir: string;
  /** SPEECH_ASR_MODEL, SPEECH_SEGMENTATION_MODEL, SPEECH_EMBEDDING_MODEL: names; by default the best that is there. */
  readonly asrModel?: string | undefined;
  readonly segmentationModel?: string | undefined;
  readonly embeddingModel?: string | undefined;
}

/** What tells voices apart; absolute paths. */
export interface VoiceModels {
  readonly modelsDir: string;
  readonly segmentation: string;
  readonly embedding: string;
  /** Names, for logs and for checking the files before use. */
  readonly names: readonly string[];
}

/** All that the engine needs. */
export interface SherpaModels extends VoiceModels {
  readonly recogniser: Recogniser;
}

/** @returns the models that the settings name, by default the best of those that are installed */
export async function findSherpaModels(settings: SherpaModelSettings): Promise<SherpaModels | Missing> {
  const voices = await findSherpaVoices(settings);
  if ('missing' in voices) return voices;
  const found = await find(settings.modelsDir, 'recogniser', ['SPEECH_ASR_MODEL', settings.asrModel]);
  if ('missing' in found) return found;
  return { ...voices, recogniser: found.recogniser, names: [found.name, ...voices.names] };
}

/** As {@link findSherpaModels}, for who has the words from elsewhere. */
export async function findSherpaVoices(settings: SherpaModelSettings): Promise<VoiceModels | Missing> {
  const { modelsDir } = settings;
  const segmentation = await find(modelsDir, 'segmentation', ['SPEECH_SEGMENTATION_MODEL', settings.segmentationModel]);
  if ('missing' in segmentation) return segmentation;
  const embedding = await find(modelsDir, 'embedding', ['SPEECH_EMBEDDING_MODEL', settings.embeddingModel]);
  if ('missing' in embedding) return embedding;
  const names = [segmentation.name, embedding.name];
  return { modelsDir, segmentation: segmentation.path, embedding: embedding.path, names };
}

/** @returns path of Silero's model, if it is installed */
export async function findVadModel(modelsDir: string): Promise<string | undefined> {
  const found = await find(modelsDir, 'vad', ['SPEECH_VAD_MODEL_PATH', undefined]);
  return 'missing' in found ? undefined : found.path;
}

async function find<Role extends ModelRole>(
  modelsDir: string,
  role: Role,
  [setting, wanted]: readonly [setting: string, name: string | undefined],
): Promise<Extract<InstalledModel, { role: Role }> | Missing> {
  const names = await namesOfModels(modelsDir);
  if (wanted !== undefined && !names.includes(wanted)) {
    return { missing: `${setting}=${wanted}: there is no such model in SPEECH_MODELS_DIR (${modelsDir}).` };
  }
  const model = await best(modelsDir, role, wanted === undefined ? names.sort(byRank) : [wanted]);
  if (model === undefined) {
    return {
      missing:
        wanted === undefined
          ? `There is no ${role} model in SPEECH_MODELS_DIR (${modelsDir}); \`npm run models -- install\` fetches all kinds.`
          : `${setting}=${wanted} is no ${role} model in SPEECH_MODELS_DIR (${modelsDir}).`,
    };
  }
  const wrong = await wrongSizeIn(modelsDir, model.name, await readLock(modelsDir));
  return wrong === undefined ? model : { missing: `The model ${model.name} is damaged: ${wrong}.` };
}

async function best<Role extends ModelRole>(
  modelsDir: string,
  role: Role,
  names: readonly string[],
): Promise<Extract<InstalledModel, { role: Role }> | undefined> {
  for (const name of names) {
    const model = await inspectModel(modelsDir, name);
    if (model?.role === role) return model as Extract<InstalledModel, { role: Role }>;
  }
  return undefined;
}

/** In the catalogue's order, then those that were put there by hand. */
function byRank(a: string, b: string): number {
  const rank = (name: string): number => {
    const index = CATALOGUE.findIndex((model) => model.name === name);
    return index === -1 ? CATALOGUE.length : index;
  };
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

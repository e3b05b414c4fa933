import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256Of } from '../../store/files/checksum.ts';
import type { Missing } from '../speech-engine.ts';
import { inspectModel, type InstalledModel, type ModelRole, type Recogniser } from './inspect.ts';
import { damagedFilesIn, knownFilesOf, modelNamesIn } from './models-folder.ts';
import type { SpeechSettings } from '../speech-settings.ts';

type ModelSetting = 'SPEECH_MODEL' | 'SPEECH_SEGMENTATION_MODEL' | 'SPEECH_EMBEDDING_MODEL';

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
  const voices = await findVoiceModels(settings);
  if ('missing' in voices) return voices;
  const found = await findModel(settings, 'recogniser', { setting: 'SPEECH_MODEL', name: settings.SPEECH_MODEL });
  if ('missing' in found) return found;
  return { ...voices, recogniser: found.recogniser, names: [found.name, ...voices.names] };
}

/** The models of an engine that gets the words from elsewhere. */
export async function findVoiceModels(settings: ModelSettings): Promise<VoiceModels | Missing> {
  const segmentation = await findVoiceModel(settings, 'segmentation', 'SPEECH_SEGMENTATION_MODEL');
  if ('missing' in segmentation) return segmentation;
  const embedding = await findVoiceModel(settings, 'embedding', 'SPEECH_EMBEDDING_MODEL');
  if ('missing' in embedding) return embedding;
  const names = [segmentation.name, embedding.name];
  return { modelsDir: settings.speechModelsDir, segmentation: segmentation.path, embedding: embedding.path, names };
}

const BUNDLED = fileURLToPath(new URL('../voices/models', import.meta.url));

async function findVoiceModel(
  settings: ModelSettings,
  role: 'segmentation' | 'embedding',
  setting: 'SPEECH_SEGMENTATION_MODEL' | 'SPEECH_EMBEDDING_MODEL',
): Promise<{ readonly name: string; readonly path: string } | Missing> {
  const name = settings[setting];
  if (name !== undefined) return findModel(settings, role, { setting, name });
  const path = join(BUNDLED, `${role}.onnx`);
  const found = await sha256Of(path).catch(() => 'nothing');
  const sums = await readFile(join(BUNDLED, 'SHA256SUMS'), 'utf8');
  if (sums.split('\n').includes(`${found}  ${role}.onnx`)) return { name: `${role}-${found.slice(0, 8)}`, path };
  return { missing: `The model ${path} is damaged; install the service again.` };
}

export async function findVadModel(speechModelsDir: string): Promise<string | undefined> {
  const found = await findModel({ speechModelsDir }, 'vad', {});
  return 'missing' in found ? undefined : found.path;
}

interface Wanted {
  readonly setting?: ModelSetting;
  /** Default: the first installed model. */
  readonly name?: string | undefined;
}

export async function findModel<Role extends ModelRole>(
  { speechModelsDir: modelsDir }: Pick<ModelSettings, 'speechModelsDir'>,
  role: Role,
  { setting, name: wanted }: Wanted,
): Promise<Extract<InstalledModel, { role: Role }> | Missing> {
  const names = await modelNamesIn(modelsDir);
  if (wanted !== undefined && !names.includes(wanted)) {
    const install = knownFilesOf(wanted).length > 0 ? `; \`npm run models -- install ${wanted}\` installs it` : '';
    return {
      missing: `The model ${wanted} of ${String(setting)} is not in SPEECH_MODELS_DIR (${modelsDir})${install}.`,
    };
  }
  for (const name of wanted === undefined ? names.sort() : [wanted]) {
    const model = await inspectModel(modelsDir, name);
    if (model?.role !== role) continue;
    const [problem] = await damagedFilesIn(join(modelsDir, name), knownFilesOf(name));
    if (problem !== undefined) return { missing: `The model ${name} is damaged: ${problem}.` };
    return model as Extract<InstalledModel, { role: Role }>;
  }
  return {
    missing:
      wanted === undefined
        ? `There is no ${role} model in SPEECH_MODELS_DIR (${modelsDir}).`
        : `${String(setting)}=${wanted} is not a ${role} model.`,
  };
}

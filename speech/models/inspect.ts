import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CATALOGUE, type ModelRole } from './catalogue.ts';
import { readOnnxMetadata } from './onnx-metadata.ts';

export type Recogniser = {
  readonly encoder: string;
  readonly decoder: string;
  readonly tokens: string;
  readonly languages?: readonly string[];
} & (
  | {
      readonly kind: 'whisper';
      readonly isMultilingual: boolean;
      /** Whether the model was exported with its attention, from which the times of tokens are derived. */
      readonly hasTokenTimes: boolean;
    }
  | { readonly kind: 'transducer'; readonly joiner: string }
);

interface InstalledRecogniser {
  readonly name: string;
  readonly role: 'recogniser';
  readonly recogniser: Recogniser;
}

interface InstalledFile<Role extends ModelRole> {
  readonly name: string;
  readonly role: Role;
  readonly path: string;
}

export type InstalledModel =
  InstalledRecogniser | InstalledFile<'segmentation'> | InstalledFile<'embedding'> | InstalledFile<'vad'>;

const EXTENSION = '.onnx';

export async function inspectModel(modelsDir: string, name: string): Promise<InstalledModel | undefined> {
  const folder = join(modelsDir, name);
  const files = (await readdir(folder)).sort();
  const models = files.filter((file) => file.endsWith(EXTENSION));
  const encoder = choose(models, 'encoder');
  if (encoder !== undefined) {
    const recogniser = await recogniserOf(folder, { name, files, models, encoder });
    return recogniser === undefined ? undefined : { name, role: 'recogniser', recogniser };
  }
  // Small models use full precision, although a quantized file may exist too.
  const file = models.find((one) => !one.includes('.int8.')) ?? models[0];
  if (file === undefined) return undefined;
  const path = join(folder, file);
  if (file.startsWith('silero_vad')) return { name, role: 'vad', path };
  const metadata = await metadataOf(path);
  if (metadata.has('powerset_max_classes')) return { name, role: 'segmentation', path };
  if (metadata.has('framework') && metadata.has('output_dim')) return { name, role: 'embedding', path };
  return undefined;
}

interface Folder {
  readonly name: string;
  readonly files: readonly string[];
  readonly models: readonly string[];
  readonly encoder: string;
}

async function recogniserOf(folder: string, { name, files, models, encoder }: Folder): Promise<Recogniser | undefined> {
  const [decoder, joiner] = [choose(models, 'decoder'), choose(models, 'joiner')];
  const tokens = files.find((file) => file.endsWith('tokens.txt'));
  if (decoder === undefined || tokens === undefined) return undefined;
  const paths = { encoder: join(folder, encoder), decoder: join(folder, decoder), tokens: join(folder, tokens) };
  const metadata = await metadataOf(paths.encoder);
  if (joiner !== undefined) {
    if (!metadata.has('pred_rnn_layers')) return undefined;
    const languages = CATALOGUE.find((model) => model.name === name)?.languages;
    return { kind: 'transducer', ...paths, joiner: join(folder, joiner), ...(languages && { languages }) };
  }
  if (!metadata.has('sot_sequence')) return undefined;
  const isMultilingual = metadata.get('is_multilingual') !== '0';
  const languages = isMultilingual ? (metadata.get('all_language_codes') ?? '').split(',') : ['en'];
  return { kind: 'whisper', ...paths, isMultilingual, hasTokenTimes: metadata.has('n_alignment_heads'), languages };
}

/** The quantized file takes a third of the time and memory. */
function choose(models: readonly string[], part: string): string | undefined {
  const fitting = models.filter((file) => new RegExp(`(^|[-_.])${part}([-_.])`).test(file));
  return fitting.find((file) => file.includes('.int8.')) ?? fitting[0];
}

/** A file that is not a model has none. */
function metadataOf(path: string): Promise<ReadonlyMap<string, string>> {
  return readOnnxMetadata(path).catch(() => new Map<string, string>());
}

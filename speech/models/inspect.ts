import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CATALOGUE } from './catalogue.ts';

export interface Recogniser {
  readonly encoder: string;
  readonly decoder: string;
  readonly joiner: string;
  readonly tokens: string;
  readonly languages?: readonly string[];
}

interface InstalledFile<Role extends 'segmentation' | 'embedding' | 'vad'> {
  readonly name: string;
  readonly role: Role;
  readonly path: string;
}

export type InstalledModel =
  | { readonly name: string; readonly role: 'whisper'; readonly folder: string; readonly languages: readonly string[] }
  | { readonly name: string; readonly role: 'recogniser'; readonly recogniser: Recogniser }
  | InstalledFile<'segmentation'>
  | InstalledFile<'embedding'>
  | InstalledFile<'vad'>;
export type ModelRole = InstalledModel['role'];

const EXTENSION = '.onnx';

export async function inspectModel(modelsDir: string, name: string): Promise<InstalledModel | undefined> {
  const folder = join(modelsDir, name);
  const files = (await readdir(folder)).sort();
  const known = CATALOGUE.find((model) => model.name === name)?.languages;
  if (files.includes('model.bin')) {
    const vocabulary = files.find((file) => /^vocabulary\.(txt|json)$/.test(file));
    if (vocabulary === undefined) return undefined;
    return { name, role: 'whisper', folder, languages: known ?? (await whisperLanguages(join(folder, vocabulary))) };
  }
  const models = files.filter((file) => file.endsWith(EXTENSION));
  const encoder = choose(models, 'encoder');
  if (encoder !== undefined) {
    const [decoder, joiner] = [choose(models, 'decoder'), choose(models, 'joiner')];
    const tokens = files.find((file) => file.endsWith('tokens.txt'));
    if (decoder === undefined || joiner === undefined || tokens === undefined) return undefined;
    if (!(await metadataOf(join(folder, encoder))).includes('pred_rnn_layers')) return undefined;
    const [encoderPath, decoderPath, joinerPath, tokensPath] = [encoder, decoder, joiner, tokens].map((file) =>
      join(folder, file),
    ) as [string, string, string, string];
    const paths = { encoder: encoderPath, decoder: decoderPath, joiner: joinerPath, tokens: tokensPath };
    return { name, role: 'recogniser', recogniser: { ...paths, ...(known && { languages: known }) } };
  }
  // Small models use full precision, although a quantized file may exist too.
  const file = models.find((one) => !one.includes('.int8.')) ?? models[0];
  if (file === undefined) return undefined;
  const path = join(folder, file);
  if (file.startsWith('silero_vad')) return { name, role: 'vad', path };
  const metadata = await metadataOf(path);
  if (metadata.includes('powerset_max_classes')) return { name, role: 'segmentation', path };
  if (metadata.includes('framework') && metadata.includes('output_dim')) return { name, role: 'embedding', path };
  return undefined;
}

/** The vocabulary of an English model has the tokens of all languages too, but one token less. */
const MULTILINGUAL_TOKENS = 51_865;

async function whisperLanguages(vocabulary: string): Promise<string[]> {
  const text = await readFile(vocabulary, 'utf8');
  const tokens = vocabulary.endsWith('.json') ? (JSON.parse(text) as string[]) : text.trimEnd().split('\n');
  if (tokens.length < MULTILINGUAL_TOKENS) return ['en'];
  return tokens.flatMap((token) => /^<\|([a-z]{2,3})\|>$/.exec(token)?.[1] ?? []);
}

/** The quantized file takes a third of the time and memory. */
function choose(models: readonly string[], part: string): string | undefined {
  const fitting = models.filter((file) => new RegExp(`(^|[-_.])${part}([-_.])`).test(file));
  return fitting.find((file) => file.includes('.int8.')) ?? fitting[0];
}

const METADATA_MAX_BYTES = 65_536;

/** The end of an ONNX file, which has the names of its metadata: they follow the weights. */
async function metadataOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, METADATA_MAX_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

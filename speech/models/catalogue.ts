export type ModelRole = 'recogniser' | 'segmentation' | 'embedding' | 'vad';

export interface CatalogueModel {
  readonly name: string;
  readonly role: ModelRole;
  readonly description: string;
  readonly licence: string;
  readonly release: string;
  /** An archive or the model itself. */
  readonly file: string;
  /** The approximate size when installed, if upstream states it. */
  readonly installedMegabytes?: number | undefined;
  readonly languages?: readonly string[];
}

export const SHERPA_RELEASES_URL = 'https://github.com/k2-fsa/sherpa-onnx/releases/download';

export const ASR = 'asr-models';
const SEGMENTATION = 'speaker-segmentation-models';
/** The misspelling is upstream's. */
const EMBEDDING = 'speaker-recongition-models';

const EUROPEAN = 'bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro ru sk sl es sv uk'.split(' ');

const PARAKEET = { role: 'recogniser', licence: 'CC-BY-4.0', release: ASR } as const;
const NVIDIA_VOICES = { role: 'embedding', licence: 'CC-BY-4.0', release: EMBEDDING } as const;
const SPEAKER_3D = { role: 'embedding', licence: 'Apache-2.0', release: EMBEDDING } as const;

function whisper(name: string, description: string, installedMegabytes?: number): CatalogueModel {
  return {
    name: `whisper-${name}`,
    role: 'recogniser',
    description: `Whisper ${description}`,
    licence: 'MIT',
    release: ASR,
    file: `sherpa-onnx-whisper-${name}.tar.bz2`,
    installedMegabytes,
  };
}

/** The best of each role first. The best installed model is used unless a setting names another. */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    ...PARAKEET,
    name: 'parakeet-tdt-0.6b-v3',
    description: 'NVIDIA Parakeet TDT, 25 European languages, exact word times, fast',
    file: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8.tar.bz2',
    installedMegabytes: 670,
    languages: EUROPEAN,
  },
  whisper('turbo', 'large-v3-turbo, 99 languages'),
  whisper('large-v3', 'large-v3, 99 languages, slow'),
  whisper('medium', 'medium, 99 languages'),
  {
    ...PARAKEET,
    name: 'parakeet-tdt-0.6b-v2',
    description: 'NVIDIA Parakeet TDT, English, exact word times, fast',
    file: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v2-int8.tar.bz2',
    languages: ['en'],
  },
  whisper('medium.en', 'medium, English'),
  whisper('small', 'small, 99 languages', 1344),
  whisper('small.en', 'small, English'),
  whisper('base', 'base, 99 languages'),
  whisper('base.en', 'base, English', 454),
  whisper('tiny', 'tiny, 99 languages', 256),
  whisper('tiny.en', 'tiny, English', 256),
  {
    name: 'pyannote-segmentation-3.0',
    role: 'segmentation',
    licence: 'MIT',
    release: SEGMENTATION,
    description: 'pyannote segmentation 3.0: speaker changes and overlaps',
    file: 'sherpa-onnx-pyannote-segmentation-3-0.tar.bz2',
    installedMegabytes: 7,
  },
  {
    ...NVIDIA_VOICES,
    name: 'titanet-large',
    description: 'NVIDIA TitaNet large: voice embeddings (English)',
    file: 'nemo_en_titanet_large.onnx',
  },
  {
    ...NVIDIA_VOICES,
    name: 'titanet-small',
    description: 'NVIDIA TitaNet small: voice embeddings (English), fast',
    file: 'nemo_en_titanet_small.onnx',
  },
  {
    ...SPEAKER_3D,
    name: 'eres2net-base',
    description: '3D-Speaker ERes2Net base: voice embeddings (Chinese; also works for others)',
    file: '3dspeaker_speech_eres2net_base_sv_zh-cn_3dspeaker_16k.onnx',
  },
  {
    ...SPEAKER_3D,
    name: 'campplus',
    description: '3D-Speaker CAM++: voice embeddings (Chinese; also works for others), fast',
    file: '3dspeaker_speech_campplus_sv_zh-cn_16k-common.onnx',
  },
  {
    name: 'silero-vad',
    role: 'vad',
    licence: 'MIT',
    release: ASR,
    description: 'Silero VAD: voice activity detection',
    file: 'silero_vad.onnx',
  },
];

/** The models that `install` installs by default: all that speaker labels need, small and for many languages. */
export const DEFAULT_MODELS: readonly string[] = [
  'silero-vad',
  'whisper-base',
  'pyannote-segmentation-3.0',
  'titanet-small',
];

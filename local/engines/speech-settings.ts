import type { RoleName } from '../role.ts';
import { ensureSpeechPython } from './speech-python.ts';
import type { Setup } from './temporal-cli.ts';
import { NoWayError } from './ways.ts';

/**
 * The settings of the tools for transcripts with speaker labels, set up in the cache when missing. What is given is left
 * as it is. Without a Python nothing else is held up: the service runs, and a transcription says which setting it needs.
 *
 * @throws an error naming SPEECH_PYTHON_PATH when the given Python lacks a package
 */
export async function speechSettings(
  setup: Setup,
  roles: readonly RoleName[],
): Promise<Readonly<Record<string, string>>> {
  if (!roles.includes('worker')) return {};
  try {
    const { python, vadModel } = (await ensureSpeechPython(setup)).value;
    const given = setup.env['SPEECH_VAD_MODEL_PATH'];
    return {
      SPEECH_PYTHON_PATH: python,
      SPEECH_VAD_MODEL_PATH: given === undefined || given === '' ? vadModel : given,
    };
  } catch (error) {
    if (!(error instanceof NoWayError)) throw error;
    setup.log(`speech: speaker labels are off. ${error.message}`);
    return {};
  }
}

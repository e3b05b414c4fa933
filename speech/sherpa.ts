import { JobError } from '../runtime/job-error.ts';
import type { SpeechEngine } from './speech-engine.ts';
import { runAnalysis, type SherpaSettings } from './sherpa/run-analysis.ts';
import { groupVoices } from './voices/group-voices.ts';
import { requestedLanguage, requestLanguages } from './whisper/whisper-languages.ts';

export function createSherpaEngine(settings: SherpaSettings): SpeechEngine {
  const { models } = settings;
  const known = 'recogniser' in models ? models.recogniser.languages : undefined;
  return {
    name: 'sherpa',
    models: models.names.join('+'),
    languages: known && requestLanguages(known),

    async analyse(window, { language, signal, onProgress }) {
      if (language !== undefined && known !== undefined) requestedLanguage(language, known);
      return runAnalysis(window, { ...settings, signal, onProgress });
    },

    async cluster(windows, { signal, ...limits }) {
      const lengths = new Set(windows.flat().map(({ embedding }) => embedding.length));
      lengths.delete(0);
      if (lengths.size > 1) throw new JobError('embeddingModelsDiffer');
      return groupVoices(windows, { ...limits, signal });
    },
  };
}

import { JobError } from '../runtime/job-error.ts';
import type { SpeechEngine } from './speech-engine.ts';
import { clusterVoices } from './sherpa/cluster.ts';
import { languagesOf, requestedLanguage } from './sherpa/sherpa-languages.ts';
import { runAnalysis, type SherpaSettings } from './sherpa/run-analysis.ts';

export function createSherpaEngine(settings: SherpaSettings): SpeechEngine {
  const { models, speakerDistance } = settings;
  const recogniser = 'recogniser' in models ? models.recogniser : undefined;
  return {
    name: 'sherpa',
    models: models.names.join('+'),
    languages: languagesOf(recogniser),
    findsSpeech: true,

    async analyse(window, { language, signal, onProgress }) {
      const code = language === undefined ? undefined : requestedLanguage(language, recogniser);
      return runAnalysis(window, { ...settings, language: code, signal, onProgress });
    },

    async cluster(windows, { signal, ...limits }) {
      const lengths = new Set(windows.flatMap((voices) => voices.map(({ embedding }) => embedding.length)));
      if (lengths.size > 1) {
        throw new JobError('embeddingModelsDiffer');
      }
      return clusterVoices(windows, { ...limits, threshold: speakerDistance, signal });
    },
  };
}

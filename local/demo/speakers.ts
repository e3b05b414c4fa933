import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AudioRecord } from '../../contract/kinds/audio.ts';
import type { SpeakerLabelsBody } from '../../contract/kinds/speaker-labels.ts';
import { secondsText } from './format.ts';
import type { Scene } from './job.ts';
import { showTranscript } from './transcript.ts';
import { watch } from './watch.ts';

/** Who says what in the audio of the record. @throws when it is not transcribed, or two voices are not told apart */
export async function showSpeakers(record: AudioRecord, scene: Scene): Promise<void> {
  const { stage, service, terminal } = scene;
  const audioId = record.transcript_speaker_id;
  terminal.heading('Who says what');
  const started = Date.now();
  const { status, body } = await service.requestSpeakerLabels(audioId);
  if (status !== 202 || body.status !== 'pending' || !('download_id' in body)) {
    throw new Error(`POST /api/transcriptspeakerid answered ${String(status)}: ${JSON.stringify(body)}`);
  }
  const price = body.transcript_speaker_cost;
  terminal.fact('Request', `POST /api/transcriptspeakerid: 202 after ${String(Date.now() - started)} ms, for ${price}`);

  const labels = await watch(async () => (await service.getSpeakerLabels(body.download_id)).body, scene);
  if (labels.status !== 'success') throw new Error(`the transcription failed: ${labels.message}`);
  const { data, transcript_speaker_cost: cost } = labels;
  terminal.fact('Result', `success after ${secondsText(Date.now() - started)}, for ${cost}`);
  terminal.fact('Engine', ...engineText(labels));
  const speakers = new Set(data.transcriptsWithTimeStamps.map(({ speaker }) => speaker));
  // Of a recording of the user nobody knows how many they are.
  if (stage.isBuiltIn && speakers.size !== 2) {
    throw new Error(`two speak, and ${String(speakers.size)} were found:\n${JSON.stringify(data, null, 2)}`);
  }
  const path = join(scene.dataDir, 'transcript.vtt');
  await writeFile(path, await service.exportSpeakerLabels(audioId, 'vtt'));
  terminal.fact('WebVTT', path, `GET /api/transcriptspeakerid/${audioId}.vtt, also as .srt, .txt and .rttm`);
  if (speakers.size === 0) {
    terminal.fact('Transcript', data.message ?? 'nobody speaks');
    return;
  }
  terminal.fact('Transcript', `${String(speakers.size)} ${speakers.size === 1 ? 'speaker' : 'speakers'}`);
  terminal.block('');
  showTranscript(data.transcriptsWithTimeStamps, terminal);
}

function engineText({ data: { engine = 'none', language } }: SpeakerLabelsBody): string[] {
  const known = language === 'und' ? engine : `${engine}, language ${language}`;
  if (engine !== 'builtin') return [known];
  return [known, 'it tells clear voices apart, and many words are wrong; better ones are in docs/speech.md'];
}

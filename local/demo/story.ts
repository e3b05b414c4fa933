import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { audioRecordSchema, type AudioRecord } from '../../contract/kinds/audio.ts';
import { speakerLabelsResultSchema } from '../../contract/kinds/speaker-labels.ts';
import { webhookTestResultSchema } from '../../contract/deliveries.ts';
import { subjectIdOf } from '../../contract/subjects.ts';
import { kinds } from '../../contract/kinds.ts';
import { webhookHeaders } from '../../contract/webhooks.ts';
import { probeFile } from '../../media/probe.ts';
import { sizeText } from '../../runtime/progress.ts';
import { sha256Of } from '../../store/checksum.ts';
import { watch, type Service } from './service.ts';
import type { Stage } from './stage.ts';
import { secondsText, showTranscript, type Terminal } from './terminal.ts';

const WATCHABLE_SECONDS = 3;
const RANGES = { w: 'bytes=0-999', a: 'bytes=1000-' } as const;
const WEBHOOK_WITHIN_MS = 30_000;
const POLL_MS = 100;
const AUDIO = '/api/downloads/audio';
const LABELS = '/api/transcriptspeakerid';

/** The answer of an audio job, and the body of its webhook. */
const audioResultSchema = z.object({ data: audioRecordSchema });
const statsSchema = z.object({ videos: z.record(z.string(), z.object({ complete_media_bodies: z.number() })) });

export interface Scene {
  readonly stage: Stage;
  readonly service: Service;
  readonly terminal: Terminal;
  /** Where the demo leaves what a caller would get. */
  readonly dataDir: string;
  readonly signal: AbortSignal;
}

/** Plays the main job, and what can be made of its result, and checks all that it shows. @throws at the first thing that is not as promised */
export async function tellStory(scene: Scene): Promise<void> {
  const record = await runJob(scene);
  scene.terminal.heading('Record');
  scene.terminal.block(JSON.stringify(record, null, 2));
  await fetchFile(record, scene);
  await showWebhook(record, scene);
  await repeatRequest(record, scene);
  await showWorkflow(record, scene);
  await showSpeakers(record, scene);
}

/** The main job, from the request to the record. */
async function runJob(scene: Scene): Promise<AudioRecord> {
  const { stage, service, terminal } = scene;
  const { receiver, video } = stage;
  terminal.heading('Job');
  terminal.fact('Video', `${video.title} (${video.id}, ${(video.durationSeconds ?? 0).toFixed(1)} s)`);
  const { body: test } = await service('/api/webhook/test', webhookTestResultSchema, { url: receiver.url });
  if (test.status !== 'success') throw new Error(`the webhook URL failed its test: ${test.message}`);
  terminal.fact('Webhook test', `${receiver.url} answered ${String(test.http_status)}`);
  const speed = sizeText(await slowDown(stage));
  terminal.fact('Sandbox', `slowed down to ${speed} a second, so that there is something to see`);
  const started = Date.now();
  const { status, body } = await requestAudio(scene);
  if (status !== 202) throw new Error(`POST ${AUDIO} answered ${String(status)}, not 202`);
  terminal.fact('Request', `POST ${AUDIO}: 202 after ${String(Date.now() - started)} ms`);
  const record = await watch(() => recordOf(body.data.id, service), scene);
  if (record.status !== 'success') throw new Error(`the job failed: ${record.response ?? 'it does not say why'}`);
  terminal.fact('Result', `success after ${secondsText(Date.now() - started)}, for ${record.cost}`);
  return record;
}

/** Makes the sandbox send the video's audio so slowly that its progress can be watched. @returns bytes a second */
async function slowDown({ sandbox, video }: Stage): Promise<number> {
  const audio = video.formats.filter(({ facts }) => facts.vcodec === 'none' && facts.ext === 'm4a');
  const sizes = (audio.length > 0 ? audio : video.formats).map(({ facts }) => facts.sizeBytes);
  const bytesPerSecond = Math.ceil(Math.max(1, ...sizes) / WATCHABLE_SECONDS);
  const change = { video: video.id, target: 'media', mode: 'slow', bytes_per_second: bytesPerSecond };
  const response = await fetch(`${sandbox.url}/misbehave`, { method: 'POST', body: JSON.stringify(change) });
  if (!response.ok) throw new Error(`the sandbox does not slow down: ${await response.text()}`);
  return bytesPerSecond;
}

function requestAudio({ stage, service }: Scene) {
  const request = { vidnet_video_id: stage.video.id, include_webhook: stage.receiver.url };
  return service(AUDIO, audioResultSchema, request);
}

async function recordOf(id: string, service: Service): Promise<AudioRecord> {
  return (await service(`/downloads/${id}`, audioResultSchema)).body.data;
}

/** Downloads the M4A through its signed link in two ranges, as a caller that resumes would. */
async function fetchFile(record: AudioRecord, { stage, terminal, dataDir, signal }: Scene): Promise<void> {
  const link = record.audio_url ?? '';
  const path = join(dataDir, 'audio.m4a');
  const answers: string[] = [];
  for (const [flag, range] of Object.entries(RANGES)) {
    const response = await fetch(link, { headers: { Range: range }, signal });
    if (response.status !== 206) throw new Error(`${link} answered ${String(response.status)} to ${range}, not 206`);
    await writeFile(path, response.body ?? '', { flag });
    answers.push(`${range}: 206, ${response.headers.get('Content-Range') ?? ''}`);
  }
  const published = join(dataDir, new URL(link).pathname);
  if ((await sha256Of(path)) !== (await sha256Of(published))) throw new Error(`${path} differs from ${published}`);
  const { containerName, durationSeconds, sizeBytes, streams } = await probeFile(stage.ffprobe, path, signal);
  terminal.heading('File');
  terminal.fact('M4A', path);
  terminal.fact('Size', `${sizeText(sizeBytes)} (${String(sizeBytes)} bytes)`);
  terminal.fact('Signed link', ...answers, 'the same bytes as the published file');
  terminal.fact('Container', containerName);
  terminal.fact('Duration', `${durationSeconds.toFixed(3)} s`);
  for (const { codec, profile, sampleRateHz = 0, channels = 0, bitsPerSecond = 0 } of streams) {
    terminal.fact('Codec', profile === undefined ? codec : `${codec} (${profile})`);
    terminal.fact('Sample rate', `${String(sampleRateHz)} Hz`);
    terminal.fact('Channels', String(channels));
    terminal.fact('Bit rate', `${(bitsPerSecond / 1000).toFixed(1)} kbit/s`);
  }
}

/** Waits for the webhook and compares it with what it must be. */
async function showWebhook(record: AudioRecord, { stage, terminal, service, signal }: Scene): Promise<void> {
  const endpoint = kinds[record.type].endpoint;
  const arrived = () => stage.receiver.webhooks.find(({ headers }) => headers['x-webhook-endpoint'] === endpoint);
  for (const late = Date.now() + WEBHOOK_WITHIN_MS; arrived() === undefined && Date.now() < late;) {
    await delay(POLL_MS, undefined, { signal });
  }
  const webhook = arrived();
  if (webhook === undefined) throw new Error(`no webhook within ${secondsText(WEBHOOK_WITHIN_MS)}`);
  terminal.heading('Webhook');
  const promised = webhookHeaders({ endpoint, originalStatus: 200, downloadId: record.id });
  for (const [name, value] of Object.entries(promised)) {
    const found = webhook.headers[name.toLowerCase()];
    if (found !== value) throw new Error(`the webhook has ${name}: ${String(found)}, not ${value}`);
    terminal.fact(name === 'Content-Type' ? 'Headers' : '', `${name}: ${value}`);
  }
  const { data: body } = audioResultSchema.parse(JSON.parse(webhook.body));
  const answer = await recordOf(record.id, service);
  // Links are signed anew for each answer.
  const withoutSignature = (data: AudioRecord) => ({ ...data, audio_url: data.audio_url?.replace(/\?.*/, '') });
  if (!isDeepStrictEqual(withoutSignature(body), withoutSignature(answer))) {
    throw new Error(`the webhook's body is not what the endpoint answers:\n${webhook.body}\n${JSON.stringify(answer)}`);
  }
  terminal.fact('Body', `what GET /downloads/${record.id} answers; only the link's Expires and Signature may differ`);
}

/** The same request once more, which must be answered at once with the same record. */
async function repeatRequest(record: AudioRecord, scene: Scene): Promise<void> {
  const { sandbox, video } = scene.stage;
  const started = Date.now();
  const { status, body } = await requestAudio(scene);
  const durationMs = Date.now() - started;
  if (status !== 200 || body.data.id !== record.id) {
    throw new Error(`the second request was answered ${String(status)} with record ${body.data.id}`);
  }
  const stats = statsSchema.parse(await (await fetch(`${sandbox.url}/stats`)).json());
  const fetched = stats.videos[video.id]?.complete_media_bodies;
  if (fetched !== 1) throw new Error(`the media was fetched ${String(fetched)} times, not once`);
  scene.terminal.heading('The same request again');
  scene.terminal.fact('Answer', `200 after ${durationMs} ms: the same record, nothing fetched or charged again`);
}

/** Where operators see the job. */
async function showWorkflow(record: AudioRecord, { stage, terminal, signal }: Scene): Promise<void> {
  const { temporalUiUrl, temporalAddress, env } = stage.stack;
  terminal.heading('Temporal Web UI');
  if (temporalUiUrl === undefined) {
    terminal.fact('Workflow', `no Web UI is known (TEMPORAL_UI_URL); Temporal is at ${temporalAddress}`);
    return;
  }
  const id = encodeURIComponent(subjectIdOf(record.type, record.media_id));
  const path = `namespaces/${env['TEMPORAL_NAMESPACE'] ?? 'default'}/workflows/${id}`;
  // The page is a program that asks this address; only its answer tells whether the workflow is there.
  const response = await fetch(`${temporalUiUrl}/api/v1/${path}`, { signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the Web UI answered ${String(response.status)} for ${path}`);
  terminal.fact('Workflow', `${temporalUiUrl}/${path}`, 'found there; the Web UI ends with the demo');
}

/** Who says what in the audio of the record. */
async function showSpeakers({ transcript_speaker_id: audioId }: AudioRecord, scene: Scene): Promise<void> {
  const { stage, service, terminal, dataDir } = scene;
  terminal.heading('Who says what');
  const started = Date.now();
  const { status, body } = await service(LABELS, speakerLabelsResultSchema, { transcript_with_speaker_id: audioId });
  if (status !== 202 || body.status !== 'pending' || !('download_id' in body)) {
    throw new Error(`POST ${LABELS} answered ${String(status)}: ${JSON.stringify(body)}`);
  }
  const price = body.transcript_speaker_cost;
  terminal.fact('Request', `POST ${LABELS}: 202 after ${String(Date.now() - started)} ms, for ${price}`);
  const path = `${LABELS}/${body.download_id}`;
  const labels = await watch(async () => (await service(path, speakerLabelsResultSchema)).body, scene);
  if (labels.status !== 'success') throw new Error(`the transcription failed: ${labels.message}`);
  const { data, transcript_speaker_cost: cost } = labels;
  const { engine = 'none', language, transcriptsWithTimeStamps: segments } = data;
  terminal.fact('Result', `success after ${secondsText(Date.now() - started)}, for ${cost}`);
  terminal.fact('Engine', language === 'und' ? engine : `${engine}, language ${language}`);
  if (engine === 'builtin') {
    terminal.fact('', 'it tells clear voices apart, and many words are wrong; better ones are in docs/speech.md');
  }
  const speakers = new Set(segments.map(({ speaker }) => speaker)).size;
  // Of a recording of the user nobody knows how many they are.
  if (stage.isBuiltIn && speakers !== 2) {
    throw new Error(`two speak, and ${speakers} were found:\n${JSON.stringify(data, null, 2)}`);
  }
  const vtt = join(dataDir, 'transcript.vtt');
  await writeFile(vtt, (await service(`${LABELS}/${audioId}.vtt`, z.string())).body);
  terminal.fact('WebVTT', vtt, `GET ${LABELS}/${audioId}.vtt, also as .srt, .txt and .rttm`);
  if (speakers === 0) {
    terminal.fact('Transcript', data.message ?? 'nobody speaks');
    return;
  }
  terminal.fact('Transcript', `${speakers} ${speakers === 1 ? 'speaker' : 'speakers'}`);
  terminal.block('');
  showTranscript(segments, terminal);
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { audioResultSchema, type AudioRecord } from '../../contract/kinds/audio.ts';
import { speakerLabelsResultSchema } from '../../contract/kinds/speaker-labels.ts';
import { webhookTestResultSchema } from '../../contract/http/delivery-schemas.ts';
import { subjectIdOf } from '../../contract/kinds/subjects.ts';
import { probeFile } from '../../media/probe.ts';
import { sizeText } from '../../runtime/terminal-progress.ts';
import { createService, type Service } from '../call-service.ts';
import type { Stage } from './stage.ts';
import { secondsText, type Terminal, watch } from './terminal.ts';

const WATCHABLE_SECONDS = 6;
const RANGES = { w: 'bytes=0-999', a: 'bytes=1000-' } as const;
const WEBHOOK_WITHIN_MS = 30_000;
const WEBHOOK_HEADERS = [
  'Content-Type',
  'User-Agent',
  'X-Webhook-Endpoint',
  'X-Webhook-Original-Status',
  'X-Webhook-Download-Id',
];
const POLL_MS = 100;
const AUDIO = '/api/downloads/audio';
const LABELS = '/api/transcriptspeakerid';

export interface Scene {
  readonly stage: Stage;
  readonly terminal: Terminal;
  readonly dataDir: string;
  readonly signal: AbortSignal;
}

/** Shows the main job and the uses of its result. @returns the ID of the job with the speaker labels */
export async function tellStory(scene: Scene): Promise<string> {
  const service = createService(scene.stage.stack.restUrl, scene.signal);
  const record = await runJob(scene, service);
  scene.terminal.heading('Record');
  scene.terminal.block(JSON.stringify(record, null, 2));
  await fetchFile(record, scene);
  await showWebhook(record, scene);
  await repeatRequest(record, scene, service);
  showWorkflow(record, scene);
  return showSpeakers(record, scene, service);
}

async function runJob(scene: Scene, service: Service): Promise<AudioRecord> {
  const { stage, terminal } = scene;
  const { receiver, video } = stage;
  terminal.heading('Job');
  terminal.fact('Video', `${video.title} (${video.id}, ${(video.durationSeconds ?? 0).toFixed(1)} s)`);
  const { body: test } = await service('/api/webhook/test', webhookTestResultSchema, { url: receiver.url });
  if (test.status !== 'success') throw new Error(`the webhook URL failed its test: ${test.message}`);
  terminal.fact('Webhook test', `${receiver.url} answered ${String(test.http_status)}`);
  const speed = sizeText(await slowDown(stage));
  terminal.fact('Sandbox', `slowed down to ${speed} a second, so that there is something to see`);
  const started = Date.now();
  const { status, body } = await service(AUDIO, audioResultSchema, stage.request);
  terminal.fact('Request', `POST ${AUDIO}: ${String(status)} after ${String(Date.now() - started)} ms`);
  const look = async () => (await service(`/downloads/${body.data.id}`, audioResultSchema)).body.data;
  const record = await watch(look, scene);
  if (record.status !== 'success') throw new Error(`the job failed: ${record.response ?? 'it does not say why'}`);
  terminal.fact('Result', `success after ${secondsText(Date.now() - started)}, for ${record.cost}`);
  return record;
}

/** Slows down the audio of the video, so that its progress is visible. @returns the rate in bytes per second */
async function slowDown({ sandbox, video }: Stage): Promise<number> {
  const audio = video.formats.filter(({ facts }) => facts.vcodec === 'none' && facts.ext === 'm4a');
  const sizes = (audio.length > 0 ? audio : video.formats).map(({ facts }) => facts.filesize);
  const bytesPerSecond = Math.ceil(Math.max(1, ...sizes) / WATCHABLE_SECONDS);
  const change = { video: video.id, target: 'media', mode: 'slow', bytes_per_second: bytesPerSecond };
  const response = await fetch(`${sandbox.url}/misbehave`, { method: 'POST', body: JSON.stringify(change) });
  if (!response.ok) throw new Error(`the sandbox does not slow down: ${await response.text()}`);
  return bytesPerSecond;
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
  const {
    format_long_name: container,
    durationSeconds,
    size,
    streams,
  } = await probeFile(stage.ffprobe, path, { signal });
  terminal.heading('File');
  terminal.fact('M4A', path);
  terminal.fact('Size', `${sizeText(size)} (${String(size)} bytes)`);
  terminal.fact('Signed link', ...answers);
  terminal.fact('Container', container);
  terminal.fact('Duration', `${durationSeconds.toFixed(3)} s`);
  for (const { codec_name: codec, profile, sample_rate = 0, channels = 0, bit_rate = 0 } of streams) {
    terminal.fact('Codec', profile === undefined ? codec : `${codec} (${profile})`);
    terminal.fact('Sample rate', `${String(sample_rate)} Hz`);
    terminal.fact('Channels', String(channels));
    terminal.fact('Bit rate', `${(bit_rate / 1000).toFixed(1)} kbit/s`);
  }
}

async function showWebhook(record: AudioRecord, { stage, terminal, signal }: Scene): Promise<void> {
  const arrived = () => stage.receiver.posts.find(({ headers }) => headers['x-webhook-download-id'] === record.id);
  for (const late = Date.now() + WEBHOOK_WITHIN_MS; arrived() === undefined && Date.now() < late;) {
    await delay(POLL_MS, undefined, { signal });
  }
  const webhook = arrived();
  if (webhook === undefined) throw new Error(`no webhook within ${secondsText(WEBHOOK_WITHIN_MS)}`);
  terminal.heading('Webhook');
  const headers = WEBHOOK_HEADERS.map((name) => `${name}: ${webhook.headers[name.toLowerCase()] ?? 'none'}`);
  terminal.fact('Headers', ...headers);
  const { id } = audioResultSchema.parse(JSON.parse(webhook.body)).data;
  terminal.fact('Body', `what GET /downloads/${id} answers; only the link's Expires and Signature may differ`);
}

async function repeatRequest(record: AudioRecord, { stage, terminal }: Scene, service: Service): Promise<void> {
  const started = Date.now();
  const { status, body } = await service(AUDIO, audioResultSchema, stage.request);
  const durationMs = Date.now() - started;
  if (body.data.id !== record.id) throw new Error(`the second request was answered with record ${body.data.id}`);
  terminal.heading('The same request again');
  terminal.fact('Answer', `${status} after ${durationMs} ms: the same record, nothing fetched or charged again`);
}

function showWorkflow(record: AudioRecord, { stage, terminal }: Scene): void {
  const { temporalUiUrl, temporalAddress, env } = stage.stack;
  const id = encodeURIComponent(subjectIdOf(record.type, record.media_id));
  const path = `namespaces/${env['TEMPORAL_NAMESPACE'] ?? 'default'}/workflows/${id}`;
  terminal.heading('Temporal Web UI');
  if (temporalUiUrl === undefined)
    terminal.fact('Workflow', `no Web UI is known (TEMPORAL_UI_URL); Temporal is at ${temporalAddress}`);
  else terminal.fact('Workflow', `${temporalUiUrl}/${path}`, 'the Web UI ends with the demo');
}

async function showSpeakers(record: AudioRecord, scene: Scene, service: Service): Promise<string> {
  const { terminal, dataDir, stage, signal } = scene;
  terminal.heading('Who says what');
  const started = Date.now();
  const audioId = record.transcript_speaker_id;
  const { status, body } = await service(LABELS, speakerLabelsResultSchema, { transcript_with_speaker_id: audioId });
  if (!('download_id' in body)) throw new Error(`POST ${LABELS} answered ${JSON.stringify(body)}`);
  const price = body.transcript_speaker_cost;
  terminal.fact('Request', `POST ${LABELS}: ${status} after ${Date.now() - started} ms, for ${price}`);
  const path = `${LABELS}/${body.download_id}`;
  const labels = await watch(async () => (await service(path, speakerLabelsResultSchema)).body, scene);
  if (labels.status === 'failed' && labels.code === 'tool_missing') {
    terminal.fact('Skipped', labels.message);
    return body.download_id ?? audioId;
  }
  if (labels.status !== 'success') throw new Error(`the transcription failed: ${labels.message}`);
  const { engine = 'none', language, message, transcriptsWithTimeStamps: segments } = labels.data;
  terminal.fact('Result', `success after ${secondsText(Date.now() - started)}, for ${labels.transcript_speaker_cost}`);
  terminal.fact('Engine', language === 'und' ? engine : `${engine}, language ${language}`);
  const vtt = join(dataDir, 'transcript.vtt');
  const captions = await fetch(`${stage.stack.restUrl}${LABELS}/${audioId}.vtt`, { signal });
  await writeFile(vtt, captions.body ?? '');
  terminal.fact('WebVTT', vtt, `GET ${LABELS}/${audioId}.vtt, also as .srt, .txt and .rttm`);
  const speakers = new Set(segments.map(({ speaker }) => speaker)).size;
  const count = `${speakers} ${speakers === 1 ? 'speaker' : 'speakers'}\n`;
  terminal.fact('Transcript', speakers === 0 ? (message ?? 'no speech') : count);
  for (const { start, speaker, text } of segments) terminal.block(`${clockText(start)}  ${speaker}  ${text}`);
  return body.download_id ?? audioId;
}

function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

import type { operations } from '../operations/operations.ts';

type Name = keyof typeof operations;
interface Link {
  readonly operationId: Name;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}
type Links = Readonly<Record<string, Link>>;

function to(operationId: Name, values: Omit<Link, 'operationId'>): Links {
  return { [operationId]: { operationId, ...values } };
}

function toDownload(pointer: string, operationId: Name = 'getDownload'): Links {
  return to(operationId, { parameters: { downloadId: `$response.body#${pointer}` } });
}

const AUDIO_ID = '$response.body#/data/transcript_speaker_id';
const TO_LABELS: Links = {
  ...to('requestSpeakerLabels', { requestBody: { transcript_with_speaker_id: AUDIO_ID } }),
  ...to('getSpeakerLabels', { parameters: { id: AUDIO_ID } }),
  ...to('exportSpeakerLabels', { parameters: { id: AUDIO_ID } }),
};

/** The links of each answer. None leads to DELETE: a cancelled download stays readable, which programs do not expect of it. */
export const operationLinks: Readonly<Record<string, Readonly<Record<string, Links>>>> = {
  requestAudio: { 200: { ...toDownload('/data/id'), ...TO_LABELS }, 202: toDownload('/data/id') },
  requestVideo: { 200: toDownload('/data/id'), 202: toDownload('/data/id') },
  listDownloads: { 200: toDownload('/downloads/0/id') },
  requestChannel: { 202: toDownload('/download_id') },
  requestTranscript: {
    200: { ...toDownload('/download/id', 'getTranscript'), ...toDownload('/download/id', 'exportTranscript') },
    202: toDownload('/download/id', 'getTranscript'),
  },
  requestImgnetProfile: {
    200: to('requestImgnetList', { requestBody: { list_id: '$response.body#/list_id' } }),
    202: toDownload('/download_id'),
  },
  requestImgnetContent: { 202: toDownload('/download_id') },
  requestImgnetAudio: { 202: toDownload('/data/id') },
  listDeliveries: {
    200: to('redeliverWebhook', { parameters: { deliveryId: '$response.body#/deliveries/0/id' } }),
  },
} satisfies Partial<Record<Name, Readonly<Record<string, Links>>>>;

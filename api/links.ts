import type { operations } from './operations.ts';

type Name = keyof typeof operations;
interface Link {
  readonly operationId: Name;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}
type Links = Readonly<Record<string, Link>>;

/** @param pointer to the id of a download in an answer's body (JSON pointer) */
function toDownload(pointer: string): Links {
  return { getDownload: { operationId: 'getDownload', parameters: { downloadId: `$response.body#${pointer}` } } };
}

function toTranscript(operationId: 'getTranscript' | 'exportTranscript'): Links {
  return { [operationId]: { operationId, parameters: { downloadId: '$response.body#/download/id' } } };
}

/** From audio that was fetched: without it there is nothing to transcribe. */
function toLabels(): Links {
  const id = '$response.body#/data/transcript_speaker_id';
  return {
    requestSpeakerLabels: { operationId: 'requestSpeakerLabels', requestBody: { transcript_with_speaker_id: id } },
    getSpeakerLabels: { operationId: 'getSpeakerLabels', parameters: { id } },
    exportSpeakerLabels: { operationId: 'exportSpeakerLabels', parameters: { id } },
  };
}

/**
 * Where the values of an answer lead, by operation and status. Cancelling is not among them: to programs, DELETE means that
 * a resource is gone afterwards, and a cancelled download can still be read.
 */
export const operationLinks: Readonly<Record<string, Readonly<Record<string, Links>>>> = {
  requestAudio: { 200: { ...toDownload('/data/id'), ...toLabels() }, 202: toDownload('/data/id') },
  requestVideo: { 200: toDownload('/data/id'), 202: toDownload('/data/id') },
  listDownloads: { 200: toDownload('/downloads/0/id') },
  requestChannel: { 202: toDownload('/download_id') },
  requestTranscript: {
    200: { ...toTranscript('getTranscript'), ...toTranscript('exportTranscript') },
    202: toTranscript('getTranscript'),
  },
  requestImgnetProfile: {
    200: {
      requestImgnetList: { operationId: 'requestImgnetList', requestBody: { list_id: '$response.body#/list_id' } },
    },
    202: toDownload('/download_id'),
  },
  requestImgnetContent: { 202: toDownload('/download_id') },
  requestImgnetAudio: { 202: toDownload('/data/id') },
  listDeliveries: {
    200: {
      redeliverWebhook: {
        operationId: 'redeliverWebhook',
        parameters: { deliveryId: '$response.body#/deliveries/0/id' },
      },
    },
  },
} satisfies Partial<Record<Name, Readonly<Record<string, Links>>>>;

import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';
import type { JobInput } from '../../contract/job-input.ts';
import type { RecordType } from '../../contract/download-record.ts';
import { receiverHostOf } from '../../contract/http/webhook-delivery.ts';

/**
 * Search attributes of every job and every webhook, by which operators find its workflow. All are keywords, of which a
 * namespace on SQL has ten. Nothing secret belongs into them: they are never encrypted.
 */
export const SEARCH_ATTRIBUTES = {
  type: 'TapedeckType',
  mediaId: 'TapedeckMediaId',
  downloadId: 'TapedeckDownloadId',
  /** `vidnet`, `imgnet`, or the host of another site. */
  platform: 'TapedeckPlatform',
  /** The id of a key, or a word such as `anonymous`. */
  caller: 'TapedeckCaller',
  /** Of the first webhook of a job; each webhook has its own. */
  webhookHost: 'TapedeckWebhookHost',
  /** Why it has failed: absent while it runs, and where it has not. */
  failure: 'TapedeckFailure',
} as const;

/** Of a webhook that was given up. */
export const ABANDONED = 'webhook_abandoned';

/** Of a column of MySQL or PostgreSQL; the longest names of channels are longer. */
const KEYWORD_MAX_CHARS = 255;

const PLATFORM_BY_TYPE: Readonly<Record<RecordType, string | undefined>> = {
  audio: 'vidnet',
  vidnet_video: 'vidnet',
  list: 'vidnet',
  captions: 'vidnet',
  imgnet_profile: 'imgnet',
  imgnet_post: 'imgnet',
  imgnet_audio: 'imgnet',
  imgnet_list_posts: 'imgnet',
  imgnet_list_reels: 'imgnet',
  // The video platform, unless its job names a site.
  media: 'vidnet',
  // It works on what another job has fetched.
  speaker_labels: undefined,
};

/** The search attributes of one job. */
export function searchAttributesOf(input: Omit<JobInput, 'version'>): SearchAttributePair[] {
  const { type, mediaId, recordId, webhookUrl, parameters } = input;
  const site = (parameters as { readonly site?: string } | undefined)?.site;
  return attributes({
    type,
    mediaId,
    downloadId: recordId,
    platform: site ?? PLATFORM_BY_TYPE[type],
    caller: input.chargedTo ?? input.startedBy,
    webhookHost: webhookUrl === undefined ? undefined : receiverHostOf(webhookUrl),
  });
}

/**
 * The search attributes of one webhook.
 *
 * @param job whose end it tells, where that is known: what is found by the job's subject is found with its webhooks
 */
export function webhookAttributesOf(
  { recordId, url, subscribedBy = [] }: { recordId: string; url: string; subscribedBy?: readonly string[] },
  job?: Omit<JobInput, 'version'>,
): SearchAttributePair[] {
  const ofJob = job === undefined ? [] : searchAttributesOf(job);
  const own = attributes({ downloadId: recordId, caller: subscribedBy[0], webhookHost: receiverHostOf(url) });
  const names = new Set(own.map(({ key }) => key.name));
  return [...ofJob.filter(({ key }) => !names.has(key.name)), ...own];
}

/** Why a workflow has failed, for the end of it. */
export function failureAttribute(code: string): SearchAttributePair[] {
  return attributes({ failure: code });
}

function attributes(
  values: Partial<Record<keyof typeof SEARCH_ATTRIBUTES, string | undefined>>,
): SearchAttributePair[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined
      ? []
      : {
          key: defineSearchAttributeKey(
            SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES],
            SearchAttributeType.KEYWORD,
          ),
          value: Array.from(value).slice(0, KEYWORD_MAX_CHARS).join(''),
        },
  );
}

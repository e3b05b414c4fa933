import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../api/openapi/openapi-document.ts';
import type { Operation } from '../api/operations/operation.ts';
import { operations } from '../api/operations/operations.ts';
import { appRouter } from '../api/rpc/rpc-router.ts';
import { batchWorkflowIdOf } from '../contract/batches/batch-state.ts';
import { webhookIdOf } from '../contract/http/delivery-schemas.ts';
import { FAILURE_FAULTS } from '../contract/failures.ts';
import { ERROR_TABLE } from '../contract/http/api-error.ts';
import { MEMO_JOB, MEMO_SPEECH, MEMO_WAITING } from '../contract/job-input.ts';
import { subjectIdOf, speakerLabelsSubjectOf } from '../contract/kinds/subjects.ts';
import { retentionScheduleId, taskQueues } from '../runtime/temporal/task-queues.ts';
import { SEARCH_ATTRIBUTES } from '../runtime/temporal/visibility.ts';
import { deliveryIdOf } from '../contract/http/webhook-delivery.ts';
import * as workflows from '../workflows/index.ts';
import { kindSamples } from './helpers/kind-samples.ts';
import { beginSignal, progressQuery, resumeSignal, subscribeSignal } from '../workflows/lifecycle/messages.ts';

// Names that others hold on to: running workflows, stored records, callers, dashboards. To rename one breaks them.
describe('names that must not change', () => {
  it('of workflows, their IDs, queues and messages', () => {
    expect(new Set(Object.keys(workflows))).toEqual(
      new Set([
        'audio',
        'batch',
        'channel',
        'checkSubscription',
        'deliverWebhook',
        'imgnetAudio',
        'imgnetContent',
        'imgnetList',
        'imgnetProfile',
        'nexusRequest',
        'retention',
        'speakerLabels',
        'transcript',
        'upload',
        ...kindSamples.map(({ workflow }) => workflow),
      ]),
    );
    expect([subscribeSignal, progressQuery, resumeSignal, beginSignal].map(({ name }) => name)).toEqual([
      'subscribe',
      'progress',
      'resume',
      'begin',
    ]);
    expect(retentionScheduleId('q')).toBe('retention/q');
    expect(batchWorkflowIdOf('01JD5Z3K6VQ0W8R9T2X4Y6B8CD')).toBe('batch/01JD5Z3K6VQ0W8R9T2X4Y6B8CD');
    expect(subjectIdOf('audio', 'k3fP0aTz9Qw')).toBe('audio/k3fP0aTz9Qw');
    expect(deliveryIdOf('01JD5Z3K6VQ0W8R9T2X4Y6B8CD', 1)).toBe('webhook/01JD5Z3K6VQ0W8R9T2X4Y6B8CD/1');
    expect(webhookIdOf('webhook/01JD5Z3K6VQ0W8R9T2X4Y6B8CD/1')).toBe('01JD5Z3K6VQ0W8R9T2X4Y6B8CD-1');
    expect(Object.values(taskQueues).map((nameOf) => nameOf('q', 'vidnet'))).toEqual([
      'q',
      'q-fetch',
      'q-route-vidnet',
      'q-sites',
      'q-speech-by-vidnet',
      'q-speech-steps-by-vidnet',
      'q-webhooks',
    ]);
    expect(taskQueues.speechSteps('q')).toBe('q-speech-steps');
    expect([MEMO_JOB, MEMO_WAITING, MEMO_SPEECH]).toEqual(['job', 'waiting', 'speech']);
    const labels = { audioId: 'A', language: 'en', minSpeakers: 2, maxSpeakers: 3 };
    expect(speakerLabelsSubjectOf(labels)).toBe('speaker_labels/A/language-en/min-2/max-3');
    expect(Object.values(SEARCH_ATTRIBUTES)).toEqual(
      ['Type', 'MediaId', 'DownloadId', 'Platform', 'Caller', 'WebhookHost', 'BatchId', 'Failure'].map(
        (name) => `Tapedeck${name}`,
      ),
    );
  });

  it('of tools of MCP', () => {
    const rows = Object.values<Operation>(operations);
    expect(rows.flatMap(({ tool }) => (tool === undefined ? [] : [tool])).join(' ')).toBe(
      [
        'get_audio get_video get_media look_at_url list_jobs get_job cancel_job resolve_text get_result get_job_details',
        'get_channel get_transcript get_speech get_profile get_posts get_post get_post_audio',
        'create_batch list_batches get_batch list_batch_items cancel_batch resume_batch retry_batch',
        'create_subscription list_subscriptions get_subscription change_subscription delete_subscription',
        'pause_subscription resume_subscription check_subscription list_subscription_items get_account',
      ].join(' '),
    );
  });

  it('of routes, with the statuses of their answers, and procedures', async () => {
    const document = await openApiDocument('http://api.example', { allowsAnonymous: true, defaultWaitSeconds: 25 });
    const statuses = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [
        `${method} ${path}`,
        Object.keys((operation as { responses: object }).responses).join(' '),
      ]),
    );
    expect(Object.fromEntries(statuses)).toEqual({
      'post /api/downloads/audio': '200 202 400 401 402 403 405 409 413 415 422 429 500 503',
      ...Object.fromEntries(
        kindSamples.map(({ path }) => [`post ${path}`, '200 202 400 401 402 403 405 409 413 415 422 429 500 503']),
      ),
      'get /api/downloads': '200 400 401 403 405 429 500 503',
      'post /api/batches': '202 400 401 403 405 409 413 415 422 429 500 503',
      'get /api/batches': '200 400 401 403 405 429 500 503',
      'get /api/batches/{batchId}': '200 400 401 403 404 405 429 500 503',
      'get /api/batches/{batchId}/events': '200 204 400 401 403 404 405 429 500 503',
      'get /api/batches/{batchId}/archive.zip': '200 400 401 403 404 405 429 500 503',
      'get /api/batches/{batchId}/items': '200 400 401 403 404 405 429 500 503',
      'post /api/batches/{batchId}/cancel': '202 400 401 403 404 405 409 422 429 500 503',
      'post /api/batches/{batchId}/resume': '202 400 401 403 404 405 409 413 415 422 429 500 503',
      'post /api/batches/{batchId}/retry': '202 400 401 403 404 405 409 422 429 500 503',
      'post /api/subscriptions': '202 400 401 403 405 409 413 415 422 429 500 503',
      'get /api/subscriptions': '200 400 401 403 405 429 500 503',
      'get /api/subscriptions/{subscriptionId}': '200 400 401 403 404 405 429 500 503',
      'patch /api/subscriptions/{subscriptionId}': '200 400 401 403 404 405 413 415 429 500 503',
      'delete /api/subscriptions/{subscriptionId}': '200 400 401 403 404 405 429 500 503',
      'post /api/subscriptions/{subscriptionId}/pause': '200 400 401 403 404 405 429 500 503',
      'post /api/subscriptions/{subscriptionId}/resume': '202 400 401 403 404 405 409 422 429 500 503',
      'post /api/subscriptions/{subscriptionId}/check': '202 400 401 403 404 405 409 422 429 500 503',
      'get /api/subscriptions/{subscriptionId}/items': '200 400 401 403 404 405 429 500 503',
      'post /api/feeds': '200 400 401 403 405 413 415 429 500 503',
      'get /api/feeds': '200 400 401 403 405 429 500 503',
      'delete /api/feeds/{feedId}': '200 400 401 403 404 405 429 500 503',
      'get /api/resolve': '200 400 401 403 405 429 500 503',
      'delete /api/downloads/{downloadId}/contents': '200 400 401 403 404 405 409 429 500 503',
      'get /api/downloads/{downloadId}/result': '200 202 400 401 403 404 405 429 500 503',
      'get /api/downloads/{downloadId}/job': '200 400 401 403 404 405 429 500 503',
      'get /api/downloads/{downloadId}/events': '200 204 400 401 403 404 405 429 500 503',
      'get /api/downloads/events': '200 400 401 403 405 429 500 503',
      'get /downloads/{downloadId}': '200 202 400 401 403 404 405 429 500 503',
      'delete /downloads/{downloadId}': '200 202 400 401 403 404 405 409 429 500 503',
      'post /api/channel/profile': '200 202 400 401 402 403 405 409 413 415 422 429 500 503',
      'post /api/transcripts': '200 202 400 401 402 403 405 409 413 415 422 429 500 503',
      'get /api/transcripts/{downloadId}': '200 202 400 401 403 404 405 429 500 503',
      'get /api/transcripts/{downloadId}.{format}': '200 400 401 403 404 405 409 429 500 503',
      'post /api/speech': '200 202 400 401 402 403 404 405 409 413 415 422 429 500 503',
      'get /api/speech/{downloadId}': '200 202 400 401 403 404 405 429 500 503',
      'post /api/transcriptspeakerid': '200 202 400 401 402 403 404 405 409 413 415 422 429 500 503',
      'get /api/transcriptspeakerid/{id}': '200 202 400 401 403 404 405 429 500 503',
      'get /api/transcriptspeakerid/{id}/words': '200 400 401 403 404 405 409 429 500 503',
      'put /api/transcriptspeakerid/{id}/names': '200 400 401 403 404 405 409 413 415 429 500 503',
      'get /api/transcriptspeakerid/{id}.{format}': '200 400 401 403 404 405 409 429 500 503',
      'post /api/imgnet/profile': '200 202 400 401 402 403 405 409 413 415 422 429 500 503',
      'post /api/imgnet/list': '200 202 400 401 402 403 404 405 409 410 413 415 422 429 500 503',
      'post /api/imgnet/content': '200 202 400 401 402 403 405 409 413 415 422 429 500 503',
      'post /api/imgnet/audio': '200 202 400 401 402 403 405 409 413 415 422 429 500 503',
      'get /api/account': '200 400 401 403 405 429 500 503',
      'post /api/webhook/test': '200 400 401 403 405 413 415 429 500 503',
      'get /api/webhook/deliveries': '200 400 401 403 405 429 500 503',
      'post /api/webhook/deliveries/{deliveryId}/redeliver': '202 400 401 403 404 405 409 422 429 500 503',
      'post /api/uploads': '201 400 401 403 412 413 429 500 503',
      'head /api/uploads/{uploadId}': '200 401 403 404 412 429 500 503',
      'patch /api/uploads/{uploadId}': '204 400 401 402 403 404 409 412 413 415 429 500 503',
      'delete /api/uploads/{uploadId}': '204 400 401 403 404 412 429 500 503',
      'get /live': '200 405',
      'get /ready': '200 403 405 503',
      'get /health': '200 403 405 503',
    });
    expect(new Set(Object.keys(appRouter._def.procedures))).toEqual(
      new Set([
        'downloads.audio',
        ...kindSamples.map(({ rpc }) => rpc),
        'downloads.list',
        'downloads.get',
        'downloads.cancel',
        'downloads.removeContents',
        'downloads.result',
        'downloads.job',
        'resolve',
        'downloads.events',
        'downloads.allEvents',
        'channels.profile',
        'transcripts.request',
        'transcripts.get',
        'transcripts.export',
        'speech.request',
        'speech.get',
        'speakers.request',
        'speakers.get',
        'speakers.words',
        'speakers.name',
        'speakers.export',
        'imgnet.profile',
        'imgnet.list',
        'imgnet.content',
        'imgnet.audio',
        'batches.create',
        'batches.list',
        'batches.get',
        'batches.items',
        'batches.events',
        'batches.cancel',
        'batches.resume',
        'batches.retry',
        ...['create', 'list', 'get', 'change', 'remove', 'pause', 'resume', 'check', 'items'].map(
          (name) => `subscriptions.${name}`,
        ),
        'feeds.create',
        'feeds.list',
        'feeds.delete',
        'webhook.test',
        'webhook.deliveries',
        'webhook.redeliver',
        'health',
      ]),
    );
  });

  it('of errors and failures', () => {
    expect(Object.keys(ERROR_TABLE)).toMatchInlineSnapshot(`
      [
        "invalid_input",
        "invalid_json",
        "webhook_target_forbidden",
        "audio_failed",
        "unauthorized",
        "insufficient_credit",
        "forbidden",
        "link_invalid",
        "not_found",
        "method_not_allowed",
        "request_timeout",
        "pending_duplicate",
        "already_finished",
        "not_ready",
        "contents_in_use",
        "delivery_pending",
        "idempotency_key_in_use",
        "too_many_webhooks",
        "list_id_expired",
        "precondition_failed",
        "body_too_large",
        "encoding_not_supported",
        "range_not_satisfiable",
        "idempotency_key_reused",
        "answers_unread",
        "rate_limited",
        "internal",
        "unavailable",
      ]
    `);
    expect(Object.keys(FAILURE_FAULTS)).toMatchInlineSnapshot(`
      [
        "private",
        "removed",
        "geo_blocked",
        "age_restricted",
        "members_only",
        "live",
        "not_started",
        "drm_protected",
        "no_audio",
        "no_video",
        "no_captions",
        "insufficient_credit",
        "too_long",
        "too_large",
        "unsupported",
        "rate_limited",
        "quota_exceeded",
        "sign_in_required",
        "upstream_error",
        "upstream_timeout",
        "incomplete",
        "cancelled",
        "tool_missing",
        "disk_full",
        "internal",
      ]
    `);
  });
});

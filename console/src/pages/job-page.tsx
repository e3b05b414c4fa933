import type { JobDetails } from '../../../contract/http/job-details.ts';
import { call, read } from '../console-api.ts';
import { momentText, spanText } from '../format-values.ts';
import { Deliveries } from '../job/deliveries.tsx';
import { ProgressPanel } from '../job/progress.tsx';
import { useWatched, watchDownload } from '../live-jobs.ts';
import { navigate, pathTo } from '../router.ts';
import { jobPath, start } from '../start.ts';
import type { AboutJob } from '../types.ts';
import { useAction, useLoaded } from '../ui/hooks.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Ago, Card, ConfirmButton, Facts, ExternalLink, Price, Status, ErrorNotice } from '../ui/parts.tsx';
import { Opening, PageHead } from '../ui/page.tsx';
import { Result } from '../results/result.tsx';
import { ENCODING_NAMES, FAULT_NAMES, REMEDIES, TYPES } from '../words.ts';
import { detailOf, titleOf } from './jobs-page.tsx';

export function Job({ id, query }: { readonly id: string; readonly query: URLSearchParams }) {
  const { value: record, connection, problem } = useWatched(watchDownload, id);
  // Data beside the record changes when the job ends.
  const details = useLoaded((signal) => read<JobDetails>(`/api/downloads/${id}/job`, signal), [id, record?.status]);
  if (record === undefined) {
    return (
      <>
        <Opening title="Job" thrown={problem} />
        {connection === 'lost' ? (
          <p class="quiet">The service cannot be reached; it is tried again and again.</p>
        ) : null}
      </>
    );
  }
  const other = query.get('with');
  return (
    <>
      <Head record={record} details={details.value} />
      <ErrorNotice thrown={problem} />
      {record.status === 'pending' ? (
        <ProgressPanel type={record.type} progress={record.progress} connection={connection} />
      ) : null}
      {record.status === 'failed' ? <FailurePanel record={record} details={details.value} /> : null}
      {other === null || record.status === 'failed' ? null : (
        <p>
          The reels of this account are <a href={pathTo('job', { id: other })}>a job of their own</a>.
        </p>
      )}
      {record.status === 'success' ? <Result record={record} details={details.value} /> : null}
      <About record={record} details={details.value} />
      <Deliveries id={id} isPending={record.status === 'pending'} />
    </>
  );
}

function Head({ record, details }: AboutJob) {
  const { isRunning, thrown, run } = useAction();
  const request = details?.request;
  return (
    <PageHead
      icon={TYPES[record.type].icon}
      title={titleOf(record, details?.title ?? undefined)}
      actions={
        <>
          {record.status === 'pending' ? (
            <ConfirmButton question="Stop this job?" onYes={() => run(() => call('DELETE', `/downloads/${record.id}`))}>
              <Icon name="stop" /> Cancel
            </ConfirmButton>
          ) : null}
          {record.status === 'failed' && request ? (
            <Button
              icon="retry"
              look={details.failure?.fault === 'subject' ? 'plain' : 'main'}
              disabled={isRunning}
              onClick={() => run(async () => navigate(jobPath(await start(request))))}
            >
              Try again
            </Button>
          ) : null}
        </>
      }
    >
      <p class="quiet clip" dir="auto">
        {detailOf(record, details?.title ?? undefined)}
      </p>
      <p class="line">
        <Status status={record.status} />
        <span>
          <Ago time={record.created_at} />
        </span>
        <span>
          {record.status === 'failed' && Number(record.cost) === 0 ? (
            'nothing charged'
          ) : (
            <>
              <Price amount={record.cost} /> {record.status === 'pending' ? 'if it succeeds' : 'charged'}
            </>
          )}
        </span>
      </p>
      <ErrorNotice thrown={thrown} />
    </PageHead>
  );
}

function FailurePanel({ record, details }: AboutJob) {
  const failure = details?.failure;
  return (
    <section class="card failure" role="alert" aria-labelledby="failure-heading">
      <Icon name="warning" size={28} />
      <div>
        <h2 id="failure-heading" dir="auto">
          {failure?.message ?? record.response ?? 'The job failed.'}
        </h2>
        {failure === undefined || failure === null ? null : (
          <>
            <p>{REMEDIES[failure.code]}</p>
            <p class="quiet">
              {failure.code === 'cancelled' ? 'Somebody cancelled it' : FAULT_NAMES[failure.fault]} (
              <code>{failure.code}</code>).
              {Number(record.cost) === 0 ? '' : ' It was stopped after a provider had been paid, which is charged.'}
            </p>
          </>
        )}
        {details !== undefined && details.request === null ? (
          <p>
            A list begins with a fresh profile: <a href={pathTo('home', { q: `@${record.media_id}` })}>fetch that</a>.
          </p>
        ) : null}
      </div>
    </section>
  );
}

function About({ record, details }: AboutJob) {
  const { request, workflow, finished_at: finishedAt } = details ?? {};
  return (
    <Card title="About this job">
      <Facts
        facts={[
          ['Id', <code>{record.id}</code>],
          ['Started', momentText(record.created_at)],
          ['Finished', finishedAt ? momentText(finishedAt) : null],
          ['Took', finishedAt ? tookText(record.created_at, finishedAt) : null],
          ['Streams', record.type === 'media' && record.encoding !== null ? ENCODING_NAMES[record.encoding] : null],
          ['Workflow', workflow === undefined ? null : <code>{workflow.id}</code>],
          [
            'Its history',
            workflow?.url ? <ExternalLink url={workflow.url}>Open in the Temporal Web UI</ExternalLink> : null,
          ],
          ...(details?.files ?? []).map(({ name, sha256 }, _index, all) => {
            return [all.length === 1 ? 'SHA-256' : `SHA-256 of ${name}`, <code>{sha256}</code>] as const;
          }),
        ]}
      />
      {request ? (
        <details class="more">
          <summary>The request, for the API</summary>
          <pre tabIndex={0}>{`${request.method} ${request.path}\n${JSON.stringify(request.body, null, 2)}`}</pre>
        </details>
      ) : null}
    </Card>
  );
}

function tookText(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : spanText(seconds);
}

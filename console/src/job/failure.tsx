import { pathTo } from '../router.ts';
import type { AboutJob } from '../types.ts';
import { Icon } from '../ui/icons.tsx';
import { FAULT_NAMES, REMEDIES } from '../words.ts';

export function FailurePanel({ record, details }: AboutJob) {
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

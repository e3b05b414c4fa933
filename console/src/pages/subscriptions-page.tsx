import { useState } from 'preact/hooks';
import type { SubscriptionAnswer } from '../../../contract/subscriptions/subscription-request.ts';
import { call } from '../console-api.ts';
import { countText } from '../format-values.ts';
import { navigate, pathTo } from '../router.ts';
import { readMeanings } from '../start.ts';
import { Checked, SubscriptionStatus, subscriptionTitle, fetchesText } from '../subscription/subscription-parts.tsx';
import { Button, Field, Form, Select } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { LanguageField, useUsualLanguage } from '../ui/language-field.tsx';
import { List, Row, useList } from '../ui/list.tsx';
import { Card, ErrorNotice } from '../ui/parts.tsx';
import { Title } from '../ui/page.tsx';

export function Subscriptions({ query }: { readonly query: URLSearchParams }) {
  const list = useList<SubscriptionAnswer>('/api/subscriptions', 'subscriptions');
  return (
    <>
      <Title>Subscriptions</Title>
      <NewSubscription link={query.get('url') ?? ''} />
      <List
        list={list}
        empty={<p class="quiet">There are no subscriptions yet.</p>}
        more="Load older subscriptions"
        keyOf={({ id }) => id}
      >
        {(one) => (
          <Row
            href={pathTo('subscription', { id: one.id })}
            icon="bell"
            title={subscriptionTitle(one)}
            detail={`${fetchesText(one)}, ${countText(one.started)} so far`}
            failure={one.failure?.message}
            end={
              <>
                <SubscriptionStatus status={one.status} />
                <Checked at={one.checked_at} />
              </>
            }
          />
        )}
      </List>
    </>
  );
}

const OPERATIONS = { audio: 'Audio', video: 'Video', captions: 'Captions' } as const;
const SINCE = { now: 'From now on', day: 'Since a day', all: 'Everything' } as const;
const EVERY = { '1h': 'Every hour', '6h': 'Every six hours', '1d': 'Every day', '7d': 'Every week' } as const;

function NewSubscription({ link }: { readonly link: string }) {
  const [from, setFrom] = useState(link);
  const [what, setWhat] = useState<keyof typeof OPERATIONS>('audio');
  const [language, setLanguage] = useUsualLanguage();
  const [since, setSince] = useState<keyof typeof SINCE>('now');
  const [day, setDay] = useState('');
  const [every, setEvery] = useState<keyof typeof EVERY>('6h');
  const [most, setMost] = useState('');
  const { isRunning, thrown, run } = useAction();
  const create = async (): Promise<void> => {
    const url = from.trim();
    const body = {
      ...{ from: url, each: await eachOf(url, what, language), since: since === 'day' ? day : since, every },
      ...(most.trim() === '' ? {} : { max_cost_per_day: most.trim() }),
    };
    const { id } = await call<SubscriptionAnswer>('POST', '/api/subscriptions', { body });
    navigate(pathTo('subscription', { id }));
  };
  return (
    <Card title="Fetch what is published">
      <Form class="subscribe" aria-label="New subscription" onSend={() => run(create)}>
        <Field
          label="Link of a channel, a playlist, a profile, or a page that lists recordings"
          type="url"
          required
          placeholder="https://…"
          value={from}
          onText={setFrom}
        />
        <div class="fields">
          <Select label="Fetch" options={OPERATIONS} value={what} onChoice={setWhat} />
          {what === 'captions' ? <LanguageField value={language} onChange={setLanguage} /> : null}
          <Select label="Published" options={SINCE} value={since} onChoice={setSince} />
          {since === 'day' ? <Field label="Day" type="date" required value={day} onText={setDay} /> : null}
          <Select label="Check" options={EVERY} value={every} onChoice={setEvery} />
          <Field
            label="At most a day, in credits"
            inputMode="decimal"
            placeholder="No limit"
            pattern="\d+(\.\d{1,3})?"
            value={most}
            onText={setMost}
          />
        </div>
        {since === 'all' ? (
          <p class="quiet">
            The number of entries and their cost are shown first; nothing is fetched before you resume.
          </p>
        ) : null}
        <p>
          <Button look="main" type="submit" disabled={isRunning}>
            {isRunning ? 'Subscribing…' : 'Subscribe'}
          </Button>
        </p>
        <ErrorNotice thrown={thrown} />
      </Form>
    </Card>
  );
}

/** @returns the request for each entry. Lists of other sites have files only, and profiles have no captions. */
async function eachOf(url: string, what: keyof typeof OPERATIONS, language: string): Promise<object> {
  if (what === 'captions') return { operation: 'requestTranscript', language };
  const { subjects } = await readMeanings(url, new AbortController().signal);
  const kind = subjects[0]?.kind;
  if (kind === 'profile' && what === 'audio') return { operation: 'requestImgnetAudio' };
  if (kind === 'page' || kind === 'profile') return { operation: 'requestMedia', format: what };
  return { operation: what === 'audio' ? 'requestAudio' : 'requestVideo' };
}

import type { AccountResult } from '../../../contract/http/account-schemas.ts';
import { read } from '../console-api.ts';
import { SpendingPlot } from '../account/plot.tsx';
import { byDay } from '../account/spending.ts';
import { dateText, momentText, priceText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import { apiKey, keyWanted } from '../session.ts';
import { useStore } from '../browser-store.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { BigNumbers, Card, Facts, Loaded } from '../ui/parts.tsx';
import { Title } from '../ui/page.tsx';
import { TYPES } from '../words.ts';

const PAGE = 200;
/** Each page is a request, so the number is limited. */
const PAGES_MAX = 10;
const SHOWN_DAYS = 30;
const SHOWN_ENTRIES = 20;

export function Account() {
  const key = useStore(apiKey);
  return (
    <>
      <Title>Account</Title>
      {key === undefined ? (
        <section class="card empty">
          <Icon name="key" size={32} />
          <p>Without an API key nothing is charged, and there is no account to look at.</p>
          <Button onClick={() => keyWanted.set('')}>Enter an API key</Button>
        </section>
      ) : (
        <Loaded load={load} dependsOn={[]}>
          {(spending) => <SpendingOfKey {...spending} />}
        </Loaded>
      )}
    </>
  );
}

async function load(signal: AbortSignal) {
  const since = new Date(Date.now() - SHOWN_DAYS * 86_400_000).toISOString();
  const account = await read<AccountResult>(`/api/account?limit=${PAGE.toString()}`, signal);
  const entries = [...account.entries];
  let next = account.next_cursor;
  for (let pages = 1; next !== null && pages < PAGES_MAX && (entries.at(-1)?.booked_at ?? '') > since; pages += 1) {
    const page = await read<AccountResult>(`/api/account?limit=${PAGE.toString()}&cursor=${next}`, signal);
    entries.push(...page.entries);
    next = page.next_cursor;
  }
  // Older entries within the days shown may be left out.
  return { account, entries, isCut: next !== null && (entries.at(-1)?.booked_at ?? '') > since };
}

function SpendingOfKey({ account, entries, isCut }: Awaited<ReturnType<typeof load>>) {
  const days = byDay(entries, SHOWN_DAYS, Date.now());
  const spent = days.reduce((sum, { amount }) => sum + amount, 0) / 1000;
  return (
    <>
      <Card title={account.key.name}>
        <BigNumbers
          numbers={[
            ['credit', account.credit ?? 'Unlimited'],
            ['set aside for jobs that run', account.reserved],
            ['spent in all', account.spent],
          ]}
        />
        <Facts
          facts={[
            ['Key', <code>{account.key.id}</code>],
            ['Scopes', account.key.scopes.join(', ')],
            ['Created', momentText(account.key.created_at)],
          ]}
        />
      </Card>
      <Card
        title="Spending by day"
        end={
          <span class="quiet">
            {spent.toFixed(3)} in {SHOWN_DAYS} days
          </span>
        }
      >
        <SpendingPlot days={days} />
        {isCut ? <p class="quiet">Only the newest {entries.length} downloads are counted here.</p> : null}
        <details class="more">
          <summary>The same as numbers</summary>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                <th scope="col">Downloads</th>
                <th scope="col">Spent</th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ day, amount, count }) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  <td>{count}</td>
                  <td>{(amount / 1000).toFixed(3)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      </Card>
      <Card title="Newest charges">
        {entries.length === 0 ? <p>There are none yet.</p> : null}
        <ul class="entries">
          {entries.slice(0, SHOWN_ENTRIES).map((entry) => (
            <li key={entry.download_id}>
              <span class="clip">
                <a href={pathTo('job', { id: entry.download_id })}>{TYPES[entry.type].name}</a>{' '}
                <span class="quiet">{entry.media_id}</span>
              </span>
              <span class="quiet" title={momentText(entry.booked_at)}>
                {dateText(entry.booked_at)}
              </span>
              <span class="price">{priceText(entry.amount)}</span>
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}

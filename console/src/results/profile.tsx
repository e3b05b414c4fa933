import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ImgnetProfile } from '../../../contract/kinds/imgnet-profile.ts';
import { read } from '../console-api.ts';
import { countText } from '../format-values.ts';
import { navigate, pathTo } from '../router.ts';
import { jobPath, start } from '../start.ts';
import { useAction, useLoaded } from '../ui/hooks.ts';
import { Icon } from '../ui/icons.tsx';
import { Facts, Loading, Out, Picture, Price, Trouble } from '../ui/parts.tsx';

/** A profile of the photo platform, with an offer to list its posts. */
export function Profile({ id }: { readonly id: string }): JSX.Element {
  const { value, thrown } = useLoaded((signal) => read<ImgnetProfile>(`/api/downloads/${id}/result`, signal), [id]);
  if (thrown !== undefined) return <Trouble thrown={thrown} />;
  if (value === undefined) return <Loading what="Loading the profile" />;
  const numbers = [
    ['Posts', value.posts_count],
    ['Followers', value.followers],
    ['Following', value.following],
  ] as const;
  return (
    <>
      <section class="card who" aria-labelledby="who-heading">
        <Picture url={value.profile_image_link} label={`Picture of ${value.account}`} icon="profile" className="face" />
        <div class="grow">
          <h2 id="who-heading">
            {value.full_name ?? value.profile_name ?? value.account}
            {value.is_verified === true ? (
              <span class="verified" title="Verified">
                <Icon name="check" size={16} />
                <span class="unseen">, verified</span>
              </span>
            ) : null}
          </h2>
          <p class="quiet">
            <Out url={value.profile_url}>@{value.account}</Out>
            {value.category_name === null ? '' : ` · ${value.category_name}`}
            {value.is_private === true ? ' · private' : ''}
          </p>
          <ul class="big-numbers">
            {numbers.map(([name, count]) => (
              <li key={name}>
                <strong>{count === null ? '?' : countText(count)}</strong> {name}
              </li>
            ))}
          </ul>
          {value.biography ? <p class="text">{value.biography}</p> : null}
          <Facts
            facts={[
              ['Link', value.external_url === null ? null : <Out url={value.external_url}>{value.external_url}</Out>],
              ['Engagement', value.avg_engagement === null ? null : `${(value.avg_engagement * 100).toFixed(1)} %`],
              ['Highlights', value.highlights.join(', ')],
              ['Related', value.related_accounts.length === 0 ? null : <Related accounts={value.related_accounts} />],
            ]}
          />
        </div>
      </section>
      <ListOffer listId={value.list_id} cost={value.list_cost} />
    </>
  );
}

function Related({ accounts }: { readonly accounts: ImgnetProfile['related_accounts'] }): JSX.Element {
  return (
    <span class="line">
      {accounts.flatMap(({ user_name: name }) =>
        name === null
          ? []
          : [
              <a key={name} href={pathTo('home', { q: `@${name}` })}>
                @{name}
              </a>,
            ],
      )}
    </span>
  );
}

function ListOffer({ listId, cost }: { readonly listId: string; readonly cost: number }): JSX.Element {
  const { isRunning, thrown, run } = useAction();
  const [days, setDays] = useState('');
  const body = { list_id: listId, ...(days === '' ? {} : { max_age_days: Number(days) }) };
  return (
    <section class="card" aria-labelledby="list-offer-heading">
      <div class="heading">
        <h2 id="list-offer-heading">
          <Icon name="list" /> Posts and reels
        </h2>
        <span class="line">
          <Price amount={cost.toFixed(3)} />
          <button
            type="button"
            class="button button-main"
            disabled={isRunning}
            onClick={() => run(async () => navigate(jobPath(await start({ path: '/api/imgnet/list', body }))))}
          >
            {isRunning ? 'Starting…' : 'Fetch the lists'}
          </button>
        </span>
      </div>
      <Trouble thrown={thrown} />
      <label class="field field-short">
        <span>Only of the last … days</span>
        <input
          type="number"
          min={0}
          placeholder="All"
          value={days}
          onInput={(event) => setDays(event.currentTarget.value)}
        />
      </label>
    </section>
  );
}

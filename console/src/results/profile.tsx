import { useState } from 'preact/hooks';
import type { ImgnetProfile } from '../../../contract/kinds/imgnet-profile.ts';
import { pathTo } from '../router.ts';
import { Field } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { BigNumbers, Facts, ExternalLink, Text } from '../ui/parts.tsx';
import { Portrait } from '../ui/pictures.tsx';
import { NextJob } from './next-job.tsx';

export function Profile({ result: profile }: { readonly result: ImgnetProfile }) {
  return (
    <>
      <Portrait
        url={profile.profile_image_link}
        label={`Picture of ${profile.account}`}
        icon="profile"
        title={
          <>
            {profile.full_name ?? profile.profile_name ?? profile.account}
            {profile.is_verified === true ? (
              <span class="verified" title="Verified">
                <Icon name="check" size={16} />
                <span class="unseen">, verified</span>
              </span>
            ) : null}
          </>
        }
      >
        <p class="quiet">
          <ExternalLink url={profile.profile_url}>@{profile.account}</ExternalLink>
          {profile.category_name === null ? '' : ` · ${profile.category_name}`}
          {profile.is_private === true ? ' · private' : ''}
        </p>
        <BigNumbers
          numbers={[
            ['Posts', profile.posts_count ?? '?'],
            ['Followers', profile.followers ?? '?'],
            ['Following', profile.following ?? '?'],
          ]}
        />
        <Text>{profile.biography}</Text>
        <Facts
          facts={[
            [
              'Link',
              profile.external_url === null ? null : (
                <ExternalLink url={profile.external_url}>{profile.external_url}</ExternalLink>
              ),
            ],
            ['Engagement', profile.avg_engagement === null ? null : `${(profile.avg_engagement * 100).toFixed(1)} %`],
            ['Highlights', profile.highlights.join(', ')],
            ['Related', profile.related_accounts.length === 0 ? null : <Related accounts={profile.related_accounts} />],
          ]}
        />
      </Portrait>
      <ListOffer listId={profile.list_id} cost={profile.list_cost} />
    </>
  );
}

function Related({ accounts }: { readonly accounts: ImgnetProfile['related_accounts'] }) {
  return (
    <span class="line">
      {accounts.map(({ user_name: name }) =>
        name === null ? null : (
          <a key={name} href={pathTo('home', { q: `@${name}` })}>
            @{name}
          </a>
        ),
      )}
    </span>
  );
}

function ListOffer({ listId, cost }: { readonly listId: string; readonly cost: number }) {
  const [days, setDays] = useState('');
  const body = { list_id: listId, ...(days === '' ? {} : { max_age_days: Number(days) }) };
  return (
    <NextJob
      title="Posts and reels"
      icon="list"
      price={cost.toFixed(3)}
      request={{ path: '/api/imgnet/list', body }}
      action="Fetch the lists"
    >
      <Field
        label="Only of the last … days"
        width="short"
        type="number"
        min={0}
        placeholder="All"
        value={days}
        onText={setDays}
      />
    </NextJob>
  );
}

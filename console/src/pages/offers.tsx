import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Offer, Subject } from '../../../contract/http/resolved-schemas.ts';
import type { MediaInfo, MediaInfoResult } from '../../../contract/kinds/media-info.ts';
import { call } from '../console-api.ts';
import { MediaInfoSummary } from '../results/media-info-details.tsx';
import { navigate, pathTo } from '../router.ts';
import { secondsOfClock } from '../format-values.ts';
import { estimateOf } from './speech-estimate.ts';
import { jobPath, requestFor, start, startBatch, type RequestOptions } from '../start.ts';
import { Button, Checkbox, Field } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Badge, ErrorNotice, ExternalLink, Loaded, Notice, Price } from '../ui/parts.tsx';
import { FileChoices } from './file-choices.tsx';
import { choicesOf, type Choice } from './offer-choices.ts';
import { LanguageField, useUsualLanguage } from '../ui/language-field.tsx';

const KINDS: Readonly<Record<Subject['kind'], { readonly name: string; readonly icon: IconName }>> = {
  video: { name: 'Video on the video platform', icon: 'video' },
  channel: { name: 'Channel on the video platform', icon: 'channel' },
  playlist: { name: 'Playlist on the video platform', icon: 'channel' },
  profile: { name: 'Profile on the photo platform', icon: 'profile' },
  post: { name: 'Post on the photo platform', icon: 'post' },
  reel: { name: 'Reel on the photo platform', icon: 'post' },
  page: { name: 'Web page', icon: 'page' },
};

const USUAL_LIMIT = '50';
const WAIT_SECONDS = 30;

/** Shows a subject and its offers; collapsed if another meaning is more likely. */
export function Offers({ subject, isLikeliest }: { readonly subject: Subject; readonly isLikeliest: boolean }) {
  const heading = useId();
  const [isOpen, setOpen] = useState(isLikeliest);
  const [info, setInfo] = useState<MediaInfo>();
  const { name, icon } = KINDS[subject.kind];
  return (
    <article class="card subject" aria-labelledby={heading}>
      <header>
        <Badge icon={icon} size={24} />
        <div class="grow">
          <h2 id={heading}>{name}</h2>
          <p class="quiet clip">
            <ExternalLink url={subject.url}>{subject.id}</ExternalLink>
          </p>
        </div>
        {isOpen ? null : (
          <Button aria-label={`Or this: ${name}`} onClick={() => setOpen(true)}>
            Or this
          </Button>
        )}
      </header>
      {isOpen ? (
        <MediaInfoPreview
          offer={subject.offers.find(({ operation }) => operation === 'requestMediaInfo')}
          onRead={setInfo}
        />
      ) : null}
      {isOpen ? <Choices subject={subject} info={info} /> : null}
    </article>
  );
}

interface PreviewProps {
  readonly offer: Offer | undefined;
  readonly onRead: (info: MediaInfo) => void;
}

/** Shows what a page offers before anything is bought. Facts that cost something are requested only by the user. */
function MediaInfoPreview({ offer, onRead }: PreviewProps) {
  const isFree = Number(offer?.price) === 0;
  const [isWanted, setWanted] = useState(isFree);
  if (offer === undefined) return null;
  if (isWanted) {
    return (
      <Loaded
        load={(signal) => readInfo(offer, onRead, signal)}
        dependsOn={[offer.body['url']]}
        what="Looking at the page"
      >
        {(info) =>
          info.status === 'failed' ? <Notice icon="warning">{info.message}</Notice> : <MediaInfoSummary info={info} />
        }
      </Loaded>
    );
  }
  return (
    <p class="row">
      <Button onClick={() => setWanted(true)}>Look first</Button>
      <Price amount={offer.price} />
    </p>
  );
}

async function readInfo({ path, body: { url } }: Offer, onRead: PreviewProps['onRead'], signal: AbortSignal) {
  for (;;) {
    const result = await call<MediaInfoResult>('POST', path, { body: { url }, signal, waitSeconds: WAIT_SECONDS });
    signal.throwIfAborted();
    if (result.status === 'success') onRead(result);
    if (result.status !== 'pending') return result;
  }
}

function Choices({ subject, info }: { readonly subject: Subject; readonly info: MediaInfo | undefined }) {
  const [language, setLanguage] = useUsualLanguage();
  const [hasComments, setComments] = useState(false);
  const [webhook, setWebhook] = useState('');
  const [limit, setLimit] = useState(USUAL_LIMIT);
  const isVideo = subject.kind === 'video';
  const choices = choicesOf(subject, hasComments);
  const { duration = null } = info ?? {};
  const seconds = duration === null ? undefined : secondsOfClock(duration);
  return (
    <>
      {subject.note === null ? null : <Notice icon="warning">{subject.note}</Notice>}
      <ul class="offers">
        {choices.map((choice, index) => (
          <OfferRow
            key={`${choice.title} ${choice.about}`}
            choice={choice}
            options={{ language, webhook, limit }}
            isFirst={index === 0}
            estimate={estimateOf(choice.offer, seconds)}
          >
            {choice.offer.needs.includes('language') ? (
              <div class="row">
                <LanguageField value={language} onChange={setLanguage} />
                {isVideo ? (
                  <Checkbox isChecked={hasComments} onChange={setComments}>
                    With comments
                  </Checkbox>
                ) : null}
              </div>
            ) : null}
          </OfferRow>
        ))}
      </ul>
      {choices.some(({ offer }) => offer.per === 'entry') ? (
        <div class="row">
          <Field
            label="Entries of a batch, at most"
            width="short"
            type="number"
            min="1"
            max="10000"
            placeholder="All"
            value={limit}
            onText={setLimit}
          />
          <a class="button" href={pathTo('subscriptions', { url: subject.url })}>
            Subscribe to new entries
          </a>
        </div>
      ) : null}
      {info?.kind === 'video' ? (
        <FileChoices
          offers={subject.offers.filter(({ operation }) => operation === 'requestMedia')}
          info={info}
          isOnVideoPlatform={isVideo}
          webhook={webhook}
        />
      ) : null}
      {choices.length === 0 ? null : (
        <details class="more">
          <summary>Notify a webhook</summary>
          <Field
            label="URL that is sent the result"
            type="url"
            placeholder="https://example.com/hooks/media"
            value={webhook}
            onText={setWebhook}
          />
        </details>
      )}
    </>
  );
}

interface OfferProps {
  readonly choice: Choice;
  readonly options: RequestOptions;
  readonly isFirst: boolean;
  readonly estimate: string | undefined;
  readonly children: ComponentChildren;
}

function OfferRow({ choice, options, isFirst, estimate, children }: OfferProps) {
  const { isRunning, thrown, run } = useAction();
  const { title, about, icon, offer } = choice;
  const begin = async (): Promise<void> => {
    const request = requestFor(offer, options);
    if (offer.operation === 'createBatch') await startBatch(request.body);
    else navigate(jobPath(await start(request)));
  };
  return (
    <li class="offer">
      <Icon name={icon} size={24} />
      <div class="grow">
        <h3>{title}</h3>
        <p class="quiet">{about}</p>
        {estimate === undefined ? null : <p>{estimate}</p>}
        {children}
        <ErrorNotice thrown={thrown} />
      </div>
      <div class="offer-end">
        <span>
          {offer.base === undefined ? (
            <Price amount={offer.price} {...(offer.per === 'entry' && { per: offer.per })} />
          ) : (
            <>
              <Price amount={offer.base} />{' '}
              <small>
                + <Price amount={offer.price} per={offer.per} />
              </small>
            </>
          )}
        </span>
        <Button
          look={isFirst ? 'main' : 'plain'}
          disabled={isRunning}
          aria-label={`Fetch: ${title}`}
          onClick={() => run(begin)}
        >
          {isRunning ? 'Starting…' : 'Fetch'}
        </Button>
      </div>
    </li>
  );
}

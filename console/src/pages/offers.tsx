import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Offer, Subject } from '../../../contract/http/resolved-schemas.ts';
import { navigate, pathTo } from '../router.ts';
import { secondsOfClock } from '../format-values.ts';
import { estimateOf } from './speech-estimate.ts';
import { jobPath, requestFor, start, startBatch, type RequestOptions } from '../start.ts';
import { Button, Checkbox, Field } from '../ui/controls.tsx';
import { useAction } from '../ui/hooks.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Notice, ExternalLink, Price, ErrorNotice } from '../ui/parts.tsx';
import { MediaInfoPreview } from './media-info-preview.tsx';
import { keepLanguage, LanguageField, usualLanguage } from '../ui/language-field.tsx';

const KINDS: Readonly<Record<Subject['kind'], { readonly name: string; readonly icon: IconName }>> = {
  video: { name: 'Video on the video platform', icon: 'video' },
  channel: { name: 'Channel on the video platform', icon: 'channel' },
  playlist: { name: 'Playlist on the video platform', icon: 'channel' },
  profile: { name: 'Profile on the photo platform', icon: 'profile' },
  post: { name: 'Post on the photo platform', icon: 'post' },
  reel: { name: 'Reel on the photo platform', icon: 'post' },
  page: { name: 'Web page', icon: 'page' },
};

/** A choice that one click starts. */
interface Choice {
  readonly title: string;
  readonly about: string;
  readonly icon: IconName;
  readonly offer: Offer;
}

const CHOICES: Readonly<Record<string, Omit<Choice, 'offer'>>> = {
  requestAudio: { title: 'Audio', about: 'The sound as M4A, to play and to keep', icon: 'audio' },
  requestVideo: { title: 'Video', about: 'Picture and sound as MP4', icon: 'video' },
  requestTranscript: { title: 'Captions', about: 'What is said, from the captions of the platform', icon: 'captions' },
  'requestTranscript auto': {
    title: 'Captions',
    about: 'The captions of the page, or else a transcript, at the price of the one with speakers',
    icon: 'captions',
  },
  requestSpeech: {
    title: 'Transcript with speakers',
    about: 'What each speaker says: to read, to search, to play and as subtitles',
    icon: 'speakers',
  },
  requestChannel: { title: 'Channel', about: 'Its description, its numbers and all of its videos', icon: 'channel' },
  requestImgnetProfile: {
    title: 'Profile',
    about: 'Biography and numbers; its posts and reels are had from there',
    icon: 'profile',
  },
  requestImgnetContent: { title: 'Post', about: 'Pictures, caption, numbers and newest comments', icon: 'post' },
  requestImgnetAudio: { title: 'Audio', about: 'The sound of each of its videos as M4A', icon: 'audio' },
  'requestMedia audio': { title: 'Audio', about: 'The sound of the page as M4A', icon: 'audio' },
  'createBatch requestAudio': { title: 'Audio of all', about: 'The sound of every entry, as a batch', icon: 'audio' },
  'createBatch requestVideo': { title: 'Video of all', about: 'The video of every entry, as a batch', icon: 'video' },
  'requestMedia video': { title: 'Video', about: 'The video of the page as MP4', icon: 'video' },
};

const USUAL_LIMIT = '50';

/** Shows a subject and its offers; collapsed if another meaning is more likely. */
export function Offers({ subject, isLikeliest }: { readonly subject: Subject; readonly isLikeliest: boolean }) {
  const heading = useId();
  const [isOpen, setOpen] = useState(isLikeliest);
  const [seconds, setSeconds] = useState<number>();
  const { name, icon } = KINDS[subject.kind];
  return (
    <article class="card subject" aria-labelledby={heading}>
      <header>
        <span class="badge">
          <Icon name={icon} size={24} />
        </span>
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
          onRead={({ duration }) => setSeconds(duration === null ? undefined : secondsOfClock(duration))}
        />
      ) : null}
      {isOpen ? <Choices subject={subject} seconds={seconds} /> : null}
    </article>
  );
}

interface ChoicesProps {
  readonly subject: Subject;
  readonly seconds: number | undefined;
}

function Choices({ subject, seconds }: ChoicesProps) {
  const [language, setLanguage] = useState(usualLanguage());
  const [hasComments, setComments] = useState(false);
  const [webhook, setWebhook] = useState('');
  const [limit, setLimit] = useState(USUAL_LIMIT);
  const choices = choicesOf(subject.offers, hasComments);
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
                <LanguageField
                  value={language}
                  onChange={(next) => {
                    setLanguage(next);
                    keepLanguage(next);
                  }}
                />
                {subject.kind === 'video' ? (
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

/** The field by which offers of the same operation differ. */
function variantOf({ format, mode, each }: Offer['body']): string {
  const variant = format ?? mode ?? (typeof each === 'object' ? each['operation'] : '');
  return typeof variant === 'string' ? variant : '';
}

/** The choice that most users want comes first, and then the transcript, which there is of everything with sound. */
function choicesOf(offers: readonly Offer[], hasComments: boolean): readonly Choice[] {
  const choices = offers.flatMap((offer) => {
    const { operation, body } = offer;
    const isCaptions = operation === 'requestTranscript' && body['mode'] === undefined;
    if (isCaptions && 'include_comments' in body !== hasComments) return [];
    const known = CHOICES[`${operation} ${variantOf(body)}`] ?? CHOICES[operation];
    return known === undefined ? [] : [{ ...known, offer }];
  });
  const isSpeech = ({ offer }: Choice): boolean => offer.operation === 'requestSpeech';
  const [first, ...rest] = choices.filter((choice) => !isSpeech(choice));
  const speech = choices.filter(isSpeech);
  return first === undefined ? speech : [first, ...speech, ...rest];
}

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Problem, sentenceOf } from '../console-api.ts';
import { agoText, countText, momentText, priceText } from '../format-values.ts';
import type { Download, DownloadType } from '../types.ts';
import { STATUS_NAMES } from '../words.ts';
import { Button } from './controls.tsx';
import { useLoaded, useNow, usePicture } from './hooks.ts';
import { Icon, type IconName } from './icons.tsx';

export const TYPE_ICONS: Readonly<Record<DownloadType, IconName>> = {
  audio: 'audio',
  vidnet_video: 'video',
  captions: 'captions',
  list: 'channel',
  imgnet_profile: 'profile',
  imgnet_post: 'post',
  imgnet_list_posts: 'list',
  imgnet_list_reels: 'list',
  imgnet_audio: 'audio',
  speaker_labels: 'speakers',
  media: 'page',
  media_info: 'search',
  upload: 'audio',
};

interface CardProps {
  readonly title: ComponentChildren;
  /** Content at the end of the line of the title. */
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Card({ title, end, children }: CardProps) {
  const id = useId();
  const heading = (
    <h2 id={id} dir="auto">
      {title}
    </h2>
  );
  return (
    <section class="card" aria-labelledby={id}>
      {end === undefined ? (
        heading
      ) : (
        <div class="heading">
          {heading}
          {end}
        </div>
      )}
      {children}
    </section>
  );
}

export function Price({ amount, per }: { readonly amount: string; readonly per?: string }) {
  return (
    <span class="price">
      {priceText(amount)}
      {Number(amount) === 0 ? null : <small>{per === undefined ? ' credits' : ` / ${per}`}</small>}
    </span>
  );
}

/** @param look a status of a download, or of a delivery */
export function StatusMark({ look, children }: { readonly look: string; readonly children: ComponentChildren }) {
  return (
    <span class={`status status-${look}`}>
      <span class="dot" aria-hidden="true" />
      {children}
    </span>
  );
}

export function Status({ status }: { readonly status: Download['status'] }) {
  return <StatusMark look={status}>{STATUS_NAMES[status]}</StatusMark>;
}

/** How long ago something was. */
export function Ago({ time }: { readonly time: string }) {
  const now = useNow(30_000);
  return (
    <time dateTime={time} title={momentText(time)}>
      {agoText(time, now)}
    </time>
  );
}

/** Whether this is the first page: the browser itself sets the focus there. */
let isFirst = true;

/** The heading of a page. It gets the focus when the user navigates to the page, so that screen readers continue there. */
export function Title({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // An effect after the paint could take the focus from a field in which the user types already.
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <h1 tabIndex={-1} ref={heading} dir="auto">
      {children}
    </h1>
  );
}

export function ErrorNotice({ thrown, children }: { readonly thrown: unknown; readonly children?: ComponentChildren }) {
  if (thrown === undefined) return null;
  const { price, credit } = thrown instanceof Problem ? thrown.body : {};
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="warning" />
      <div>
        <p dir="auto">{sentenceOf(thrown)}</p>
        {price !== undefined && credit !== undefined ? (
          <p>
            It costs {price}; the key has {credit} left.
          </p>
        ) : null}
        {children}
      </div>
    </div>
  );
}

export function Notice({ icon, children }: { readonly icon: IconName; readonly children: ComponentChildren }) {
  return (
    <div class="notice">
      <Icon name={icon} />
      <div dir="auto">{children}</div>
    </div>
  );
}

export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  return (
    <p class="loading" role="status">
      <span class="reels" aria-hidden="true" />
      {what}…
    </p>
  );
}

/** A page about something that has not been loaded yet. */
export function Opening({ title, thrown }: { readonly title: string; readonly thrown: unknown }) {
  return (
    <>
      <Title>{title}</Title>
      {thrown === undefined ? <Loading /> : <ErrorNotice thrown={thrown} />}
    </>
  );
}

interface LoadedProps<Value> {
  readonly load: (signal: AbortSignal) => Promise<Value>;
  readonly dependsOn: readonly unknown[];
  readonly what?: string;
  readonly children: (value: Value) => ComponentChildren;
}

export function Loaded<Value>({ load, dependsOn, what = 'Loading', children }: LoadedProps<Value>) {
  const { value, thrown } = useLoaded(load, dependsOn);
  if (thrown !== undefined) return <ErrorNotice thrown={thrown} />;
  return value === undefined ? <Loading what={what} /> : <>{children(value)}</>;
}

interface ConfirmButtonProps {
  readonly children: ComponentChildren;
  readonly question: string;
  readonly onYes: () => void;
}

/** A button that requires a confirmation before an action that cannot be undone. */
export function ConfirmButton({ children, question, onYes }: ConfirmButtonProps) {
  const [isConfirming, setConfirming] = useState(false);
  if (!isConfirming) return <Button onClick={() => setConfirming(true)}>{children}</Button>;
  return (
    <span class="careful" role="group" aria-label={question}>
      <span>{question}</span>
      <Button look="bad" autofocus onClick={onYes}>
        Yes
      </Button>
      <Button onClick={() => setConfirming(false)}>No</Button>
    </span>
  );
}

interface PictureProps {
  readonly url: string | null | undefined;
  readonly label: string;
  readonly icon: IconName;
  readonly className: string;
}

/** A picture of a third party, or an icon if it cannot be loaded. */
export function Picture({ url, label, icon, className }: PictureProps) {
  const source = usePicture(url);
  if (source !== undefined) return <img class={`picture ${className}`} src={source} alt={label} decoding="async" />;
  return (
    <span class={`picture ${className}`} role={label === '' ? undefined : 'img'} aria-label={label || undefined}>
      <Icon name={icon} />
    </span>
  );
}

/** An external link; URLs with other schemes than HTTP are shown as text. */
export function ExternalLink({ url, children }: { readonly url: string; readonly children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(url)) return <span dir="auto">{children}</span>;
  return (
    <a href={url} dir="auto" target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

type Pairs<Value> = readonly (readonly [name: string, value: Value | null | undefined])[];

export function Facts({ facts }: { readonly facts: Pairs<ComponentChildren> }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function BigNumbers({ numbers }: { readonly numbers: Pairs<string | number> }) {
  return (
    <ul class="big-numbers">
      {numbers.map(([name, value]) =>
        value === null || value === undefined ? null : (
          <li key={name}>
            <strong>{typeof value === 'number' ? countText(value) : value}</strong> {name}
          </li>
        ),
      )}
    </ul>
  );
}

interface CommentProps {
  readonly author: string | null;
  readonly time: string | null;
  readonly likes: number | null;
  readonly text: string | null;
}

export function Comment({ author, time, likes, text }: CommentProps) {
  return (
    <>
      <p class="quiet">
        <strong dir="auto">{author ?? 'Somebody'}</strong>
        {time === null ? '' : ` · ${agoText(time, Date.now())}`}
        {likes === null ? '' : ` · ${countText(likes)} likes`}
      </p>
      <p class="text" dir="auto">
        {text}
      </p>
    </>
  );
}

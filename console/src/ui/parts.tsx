import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePicture } from './hooks.ts';
import { Problem, sentenceOf } from '../console-api.ts';
import { priceText } from '../format-values.ts';
import { STATUS_NAMES } from '../words.ts';
import type { Download, DownloadType } from '../types.ts';
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
};

export function Price({ amount, per }: { readonly amount: string; readonly per?: string }): JSX.Element {
  return (
    <span class="price">
      {priceText(amount)}
      {Number(amount) === 0 ? null : <small>{per === undefined ? ' credits' : ` / ${per}`}</small>}
    </span>
  );
}

export function Status({ status }: { readonly status: Download['status'] }): JSX.Element {
  return (
    <span class={`status status-${status}`}>
      <span class="dot" aria-hidden="true" />
      {STATUS_NAMES[status]}
    </span>
  );
}

/** Whether this is the first page: the browser itself sets the focus there. */
let isFirst = true;

/** The heading of a page. It gets the focus when the user navigates to the page, so that screen readers continue there. */
export function Title({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}

/** An error message, which screen readers announce at once. */
export function Trouble({ thrown, children }: { readonly thrown: unknown; readonly children?: ComponentChildren }) {
  if (thrown === undefined) return null;
  const { price, credit } = thrown instanceof Problem ? thrown.body : {};
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{sentenceOf(thrown)}</p>
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

export function Loading({ what = 'Loading' }: { readonly what?: string }): JSX.Element {
  return (
    <p class="loading" role="status">
      <span class="reels" aria-hidden="true" />
      {what}…
    </p>
  );
}

/** A button that requires a confirmation before an action that cannot be undone. */
export function Careful({
  children,
  question,
  onYes,
}: {
  readonly children: ComponentChildren;
  readonly question: string;
  readonly onYes: () => void;
}): JSX.Element {
  const [isConfirming, setConfirming] = useState(false);
  if (!isConfirming) {
    return (
      <button type="button" class="button" onClick={() => setConfirming(true)}>
        {children}
      </button>
    );
  }
  return (
    <span class="careful" role="group" aria-label={question}>
      <span>{question}</span>
      <button type="button" class="button button-bad" autofocus onClick={onYes}>
        Yes
      </button>
      <button type="button" class="button" onClick={() => setConfirming(false)}>
        No
      </button>
    </span>
  );
}

/** A picture of a third party, or an icon if it cannot be loaded. */
export function Picture({
  url,
  label,
  icon,
  className,
}: {
  readonly url: string | null | undefined;
  readonly label: string;
  readonly icon: IconName;
  readonly className: string;
}): JSX.Element {
  const source = usePicture(url);
  if (source === undefined) {
    return (
      <span class={`picture ${className}`} role={label === '' ? undefined : 'img'} aria-label={label || undefined}>
        <Icon name={icon} />
      </span>
    );
  }
  return <img class={`picture ${className}`} src={source} alt={label} decoding="async" />;
}

/** An external link; URLs with other schemes than HTTP are shown as text. */
export function Out({ url, children }: { readonly url: string; readonly children: ComponentChildren }): JSX.Element {
  if (!/^https?:\/\//i.test(url)) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}

/** A list of names and values. Entries without a value are left out. */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren | null | undefined])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { TapedeckError } from '../../../clients/typescript/src/client-errors.ts';
import { sentenceOf } from '../console-api.ts';
import { agoText, countText, momentText, priceText } from '../format-values.ts';
import type { Download } from '../types.ts';
import { STATUS_NAMES } from '../words.ts';
import { Button } from './controls.tsx';
import { useLoaded, useNow } from './hooks.ts';
import { Icon, type IconName } from './icons.tsx';

interface CardProps {
  readonly title: ComponentChildren;
  readonly icon?: IconName;
  readonly end?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Card({ title, icon, end, children }: CardProps) {
  const id = useId();
  const heading = (
    <h2 id={id} dir="auto">
      {icon === undefined ? null : <Icon name={icon} />}
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

interface StatusMarkProps {
  /** A status of anything; those that are not in the table below are shown as running. */
  readonly status: string;
  readonly role?: 'status';
  readonly children: ComponentChildren;
}

const LOOKS: Readonly<Record<string, string>> = {
  ...{ success: 'good', finished: 'good', delivered: 'good', active: 'good', live: 'good' },
  ...{ failed: 'bad', cancelled: 'bad', skipped: 'bad', abandoned: 'bad', lost: 'bad' },
};

export function StatusMark({ status, role, children }: StatusMarkProps) {
  return (
    <span class={`status status-${LOOKS[status] ?? 'wait'}`} role={role}>
      <span class="dot" aria-hidden="true" />
      {children}
    </span>
  );
}

export function Status({ status }: { readonly status: Download['status'] }) {
  return <StatusMark status={status}>{STATUS_NAMES[status]}</StatusMark>;
}

export function Ago({ time }: { readonly time: string }) {
  const now = useNow(30_000);
  return (
    <time dateTime={time} title={momentText(time)}>
      {agoText(time, now)}
    </time>
  );
}

export function Badge({ icon, size = 20 }: { readonly icon: IconName; readonly size?: number }) {
  return (
    <span class="badge">
      <Icon name={icon} size={size} />
    </span>
  );
}

export function Text({ children }: { readonly children: string | null | undefined }) {
  if (!children) return null;
  return (
    <p class="text" dir="auto">
      {children}
    </p>
  );
}

export function ErrorNotice({ thrown }: { readonly thrown: unknown }) {
  if (thrown === undefined) return null;
  const { price, credit } = thrown instanceof TapedeckError ? thrown : {};
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

export function Numbers({ texts }: { readonly texts: readonly (string | null)[] }) {
  return <p class="numbers">{texts.map((text) => (text === null ? null : <span key={text}>{text}</span>))}</p>;
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

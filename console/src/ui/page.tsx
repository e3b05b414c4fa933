import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { pathTo } from '../router.ts';
import type { IconName } from './icons.tsx';
import { Badge, ErrorNotice, Loading } from './parts.tsx';

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

interface PageHeadProps {
  readonly icon: IconName;
  readonly title: string;
  readonly actions: ComponentChildren;
  readonly children: ComponentChildren;
}

export function PageHead({ icon, title, actions, children }: PageHeadProps) {
  return (
    <header class="job-head">
      <Badge icon={icon} size={24} />
      <div class="grow">
        <Title>{title}</Title>
        {children}
      </div>
      <div class="actions">{actions}</div>
    </header>
  );
}

/** The page shows this instead of an empty list of jobs or batches. */
export function NothingYet({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      <p>{children}</p>
      <p>
        <a class="button button-main" href={pathTo('home')}>
          Fetch something
        </a>
      </p>
    </div>
  );
}

/** A page whose job, batch or subscription is being loaded, or cannot be loaded. */
export function Opening({ title, thrown }: { readonly title: string; readonly thrown: unknown }) {
  return (
    <>
      <Title>{title}</Title>
      {thrown === undefined ? <Loading /> : <ErrorNotice thrown={thrown} />}
    </>
  );
}

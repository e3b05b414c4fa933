import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { send } from '../console-api.ts';
import { Icon, type IconName } from './icons.tsx';

/** Loads a picture through the service, so that its host learns nothing about the viewer. @returns its URL, once it is loaded */
function usePicture(url: string | null | undefined): string | undefined {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    setSource(undefined);
    if (!url || !/^https?:\/\//i.test(url)) return undefined;
    const end = new AbortController();
    let loaded: string | undefined;
    const load = async (): Promise<void> => {
      const response = await send(`/pictures?url=${encodeURIComponent(url)}`, { signal: end.signal });
      loaded = URL.createObjectURL(await response.blob());
      if (end.signal.aborted) URL.revokeObjectURL(loaded);
      else setSource(loaded);
    };
    load().catch(() => undefined);
    return () => {
      end.abort();
      if (loaded !== undefined) URL.revokeObjectURL(loaded);
    };
  }, [url]);
  return source;
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

interface PortraitProps extends Omit<PictureProps, 'className'> {
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Portrait({ title, children, ...picture }: PortraitProps) {
  const heading = useId();
  return (
    <section class="card who" aria-labelledby={heading}>
      <Picture {...picture} className="face" />
      <div class="grow">
        <h2 id={heading} dir="auto">
          {title}
        </h2>
        {children}
      </div>
    </section>
  );
}

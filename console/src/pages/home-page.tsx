import { useEffect, useRef, useState } from 'preact/hooks';
import type { Resolved } from '../../../contract/http/resolved-schemas.ts';
import { readMeanings } from '../start.ts';
import { navigate, pathTo } from '../router.ts';
import { Button, Form } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Loaded, Notice } from '../ui/parts.tsx';
import { Title } from '../ui/page.tsx';
import { DropFile } from './drop-file.tsx';
import { Offers } from './offers.tsx';
import { RecentJobs } from './jobs-page.tsx';

/** While the user types, a request is sent only after a pause of this length. */
const PAUSE_MS = 450;
/** The shortest valid name. */
const LEAST_CHARS = 3;
const BOOKMARKLET = `javascript:location.href='${location.origin}/console?q='+encodeURIComponent(location.href)`;
const JOB_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The start page: the user pastes a URL or name, sees what it refers to and what is available, and starts a job. */
export function Home({ query }: { readonly query: URLSearchParams }) {
  // Phones share a link as the text or within it.
  const searched = query.get('q') ?? /https?:\/\/\S+/.exec(query.get('text') ?? '')?.[0] ?? '';
  const [text, setText] = useState(searched);
  const field = useRef<HTMLInputElement>(null);
  // Only a search from elsewhere, such as a link, changes the field: text typed since the last search stays.
  const sent = useRef(searched);
  useEffect(() => {
    if (searched !== sent.current) setText(searched);
    sent.current = searched;
  }, [searched]);
  const search = (next: string): void => {
    const trimmed = next.trim();
    sent.current = trimmed;
    if (trimmed !== searched) navigate(pathTo('home', { q: trimmed }), { isReplaced: true });
  };
  useEffect(() => {
    const timer = setTimeout(() => search(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    /** A paste anywhere on the page goes into the one search field. */
    const paste = (event: ClipboardEvent): void => {
      const pasted = event.clipboardData?.getData('text').trim() ?? '';
      const isInField = event.target instanceof Element && event.target.closest('input, textarea') !== null;
      if (pasted === '' || (isInField && event.target !== field.current)) return;
      // If the field has text already, the browser inserts the pasted text at the cursor.
      if (event.target === field.current && field.current?.value.trim() !== '') return;
      event.preventDefault();
      setText(pasted);
      search(pasted);
      field.current?.focus();
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  });
  return (
    <>
      <section class="hero">
        <Title>What would you like to fetch?</Title>
        <Form role="search" onSend={() => search(text)}>
          <div class="paste">
            <Icon name="search" size={24} />
            <input
              dir="auto"
              ref={field}
              aria-label="A link, handle or id"
              placeholder="Paste a link, a handle or an id"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              enterkeyhint="search"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            {text === '' ? null : (
              <Button
                icon="close"
                look="tool"
                aria-label="Clear"
                onClick={() => {
                  setText('');
                  search('');
                  field.current?.focus();
                }}
              />
            )}
          </div>
          <p class="quiet">
            A video, a channel, a profile, a post or a reel, or a page of any other site. Nothing is fetched before you
            say so.
          </p>
        </Form>
        <DropFile />
        <p class="quiet">
          From any other page: drag <a href={BOOKMARKLET}>Fetch with Tapedeck</a> to your bookmarks. On a phone, install
          this page, and share links with it.
        </p>
      </section>
      {searched.length < LEAST_CHARS ? null : (
        <Loaded load={(signal) => readMeanings(searched, signal)} dependsOn={[searched]} what="Looking at it">
          {({ subjects }) => <Meanings text={searched} subjects={subjects} />}
        </Loaded>
      )}
      <RecentJobs />
    </>
  );
}

function Meanings({ text, subjects }: Resolved & { readonly text: string }) {
  return (
    <section aria-label="What it is" aria-live="polite">
      {JOB_ID.test(text) ? (
        <Notice icon="search">
          This may be <a href={pathTo('job', { id: text })}>a job of this service</a>.
        </Notice>
      ) : null}
      {subjects.length === 0 ? (
        <Notice icon="search">This is no link, handle or id that the service knows.</Notice>
      ) : null}
      {subjects.map((subject, index) => (
        <Offers key={`${subject.kind} ${subject.id}`} subject={subject} isLikeliest={index === 0} />
      ))}
    </section>
  );
}

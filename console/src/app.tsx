import type { ComponentType } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { Home } from './pages/home-page.tsx';
import { Job } from './pages/job-page.tsx';
import { Jobs } from './pages/jobs-page.tsx';
import { PATHS, pathTo, route, type Route } from './router.ts';
import { apiKey, keyWanted } from './session.ts';
import { useStore } from './browser-store.ts';
import { switchTheme, theme } from './theme.ts';
import { Button } from './ui/controls.tsx';
import { Logo } from './ui/icons.tsx';
import { KeyPanel } from './ui/key-panel.tsx';
import { Loading } from './ui/parts.tsx';
import { Title } from './ui/page.tsx';

const Batches = lazy(async () => (await import('./pages/batches-page.tsx')).Batches);
const Batch = lazy(async () => (await import('./pages/batch-page.tsx')).Batch);
const Subscriptions = lazy(async () => (await import('./pages/subscriptions-page.tsx')).Subscriptions);
const Subscription = lazy(async () => (await import('./pages/subscription-page.tsx')).Subscription);
const Account = lazy(async () => (await import('./pages/account-page.tsx')).Account);

/** Version and age of yt-dlp. The API process gets them from the workers and writes them into the page. */
const YTDLP = document.querySelector<HTMLMetaElement>('meta[name="yt-dlp"]')?.content ?? '';

const PAGES: Readonly<Record<Route['page'], { readonly title: string; readonly Content: ComponentType<Route> }>> = {
  home: { title: 'Fetch', Content: Home },
  jobs: { title: 'Jobs', Content: Jobs },
  job: { title: 'Job', Content: Job },
  batches: { title: 'Batches', Content: Batches },
  batch: { title: 'Batch', Content: Batch },
  subscriptions: { title: 'Subscriptions', Content: Subscriptions },
  subscription: { title: 'Subscription', Content: Subscription },
  account: { title: 'Account', Content: Account },
  nowhere: { title: 'Nothing here', Content: Nowhere },
};

export function App() {
  const now = useStore(route);
  const key = useStore(apiKey);
  const { title, Content } = PAGES[now.page];
  useEffect(() => {
    document.title = `${title} · Tapedeck`;
  }, [title]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header page={now.page} />
      <main id="main" key={key}>
        <Suspense fallback={<Loading />}>
          <Content key={now.id} {...now} />
        </Suspense>
      </main>
      <footer class="footer">
        <a href="/docs" target="_blank" rel="noreferrer">
          API
        </a>
        <a href="/console/assets/licences.md" target="_blank" rel="noreferrer">
          Licences
        </a>
        {YTDLP === '' ? null : <span>yt-dlp {YTDLP}</span>}
      </footer>
    </>
  );
}

function Nowhere() {
  return (
    <section class="empty">
      <Title>Nothing here</Title>
      <p>
        There is no such page. <a href={pathTo('home')}>Fetch something</a>, or look at the{' '}
        <a href={pathTo('jobs')}>jobs</a>.
      </p>
    </section>
  );
}

function Header({ page }: { readonly page: Route['page'] }) {
  const shown = useStore(theme);
  const wanted = useStore(keyWanted);
  const [isOpen, setOpen] = useState(false);
  // The page of one entry belongs to its list.
  const path = page === 'nowhere' ? undefined : PATHS[page].replace('/:id', '');
  return (
    <>
      <header class="header">
        <a class="brand" href={pathTo('home')} aria-label="Tapedeck">
          <Logo />
          <span class="brand-name">Tapedeck</span>
        </a>
        <nav aria-label="Main">
          {(['home', 'jobs', 'batches', 'subscriptions', 'account'] as const).map((name) => (
            <a key={name} href={pathTo(name)} aria-current={PATHS[name] === path ? 'page' : undefined}>
              {PAGES[name].title}
            </a>
          ))}
        </nav>
        <div class="tools">
          <Button
            icon={shown === 'dark' ? 'sun' : 'moon'}
            look="tool"
            aria-label={shown === 'dark' ? 'Light colours' : 'Dark colours'}
            onClick={switchTheme}
          />
          <Button
            icon="key"
            look="tool"
            aria-label="API key"
            aria-expanded={isOpen || wanted !== undefined}
            onClick={() => {
              setOpen(!isOpen);
              keyWanted.set(undefined);
            }}
          />
        </div>
      </header>
      {isOpen || wanted !== undefined ? <KeyPanel reason={wanted} onDone={() => setOpen(false)} /> : null}
    </>
  );
}

import { lazy, Suspense } from 'preact/compat';
import { useEffect, useState } from 'preact/hooks';
import { Home } from './pages/home-page.tsx';
import { Job } from './pages/job-page.tsx';
import { Jobs } from './pages/jobs-page.tsx';
import { pathTo, route, type Route } from './router.ts';
import { apiKey, keyWanted } from './session.ts';
import { useStore } from './browser-store.ts';
import { switchTheme, theme } from './theme.ts';
import { Button } from './ui/controls.tsx';
import { Icon, Logo } from './ui/icons.tsx';
import { KeyPanel } from './ui/key-panel.tsx';
import { Loading, Title } from './ui/parts.tsx';

const Batches = lazy(async () => (await import('./pages/batches-page.tsx')).Batches);
const Batch = lazy(async () => (await import('./pages/batch-page.tsx')).Batch);
const Subscriptions = lazy(async () => (await import('./pages/subscriptions-page.tsx')).Subscriptions);
const Subscription = lazy(async () => (await import('./pages/subscription-page.tsx')).Subscription);
const Account = lazy(async () => (await import('./pages/account-page.tsx')).Account);

/** Version and age of yt-dlp. The API process gets them from the workers and writes them into the page. */
const YTDLP = document.querySelector<HTMLMetaElement>('meta[name="yt-dlp"]')?.content ?? '';

const TITLES: Readonly<Record<Route['page'], string>> = {
  home: 'Fetch',
  jobs: 'Jobs',
  job: 'Job',
  batches: 'Batches',
  batch: 'Batch',
  subscriptions: 'Subscriptions',
  subscription: 'Subscription',
  account: 'Account',
  nowhere: 'Nothing here',
};

/** The list to which the page of one entry belongs. */
const LISTS: Readonly<Partial<Record<Route['page'], Route['page']>>> = {
  ...{ job: 'jobs', batch: 'batches', subscription: 'subscriptions' },
};

export function App() {
  const now = useStore(route);
  const key = useStore(apiKey);
  useEffect(() => {
    document.title = `${TITLES[now.page]} · Tapedeck`;
  }, [now.page]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header page={now.page} />
      <main id="main" key={key}>
        <Suspense fallback={<Loading />}>
          <Page now={now} />
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

function Page({ now }: { readonly now: Route }) {
  switch (now.page) {
    case 'home':
      return <Home query={now.query} />;
    case 'jobs':
      return <Jobs query={now.query} />;
    case 'job':
      return <Job key={now.id} id={now.id} query={now.query} />;
    case 'batches':
      return <Batches />;
    case 'batch':
      return <Batch key={now.id} id={now.id} query={now.query} />;
    case 'subscriptions':
      return <Subscriptions query={now.query} />;
    case 'subscription':
      return <Subscription key={now.id} id={now.id} />;
    case 'account':
      return <Account />;
    case 'nowhere':
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
}

function Header({ page }: { readonly page: Route['page'] }) {
  const shown = useStore(theme);
  const wanted = useStore(keyWanted);
  const [isOpen, setOpen] = useState(false);
  const current = LISTS[page] ?? page;
  return (
    <>
      <header class="header">
        <a class="brand" href={pathTo('home')} aria-label="Tapedeck">
          <Logo />
          <span class="brand-name">Tapedeck</span>
        </a>
        <nav aria-label="Main">
          {(['home', 'jobs', 'batches', 'subscriptions', 'account'] as const).map((name) => (
            <a key={name} href={pathTo(name)} aria-current={name === current ? 'page' : undefined}>
              {TITLES[name]}
            </a>
          ))}
        </nav>
        <div class="tools">
          <Button look="tool" aria-label={shown === 'dark' ? 'Light colours' : 'Dark colours'} onClick={switchTheme}>
            <Icon name={shown === 'dark' ? 'sun' : 'moon'} />
          </Button>
          <Button
            look="tool"
            aria-label="API key"
            aria-expanded={isOpen || wanted !== undefined}
            onClick={() => {
              setOpen(!isOpen);
              keyWanted.set(undefined);
            }}
          >
            <Icon name="key" />
          </Button>
        </div>
      </header>
      {isOpen || wanted !== undefined ? <KeyPanel reason={wanted} onDone={() => setOpen(false)} /> : null}
    </>
  );
}

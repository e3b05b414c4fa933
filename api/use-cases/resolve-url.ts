import { channelPathOf, channelReferenceOf, type ChannelReference } from '../../contract/urls/channel-urls.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import {
  accountOf,
  noPostReason,
  postReferenceOf,
  postUrlOf,
  profileReferenceOf,
  profileUrlOf,
  type PostReference,
} from '../../contract/urls/imgnet-urls.ts';
import { contentPrice } from '../../contract/kinds/imgnet-content.ts';
import { listPrice } from '../../contract/kinds/list-price.ts';
import { mediaPrice } from '../../contract/kinds/media.ts';
import { mediaFormatSchema, type MediaFormat } from '../../contract/kinds/media-options.ts';
import { transcriptPrice } from '../../contract/kinds/transcript.ts';
import { formatMoney, type Thousandths } from '../../contract/money.ts';
import type { Prices } from '../../contract/kinds/configured-prices.ts';
import type { Offer, Resolved, ResolveQuery, Subject } from '../../contract/http/resolved-schemas.ts';
import { playlistIdOf, videoIdOf } from '../../contract/urls/vidnet-urls.ts';
import { optional } from '../../runtime/optional.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { Answer } from '../operations/operation.ts';
import { imgnetRefusal, profilePriceOf } from './imgnet-requests.ts';
import { pageOf } from './media.ts';
import { infoPageOf } from './media-info.ts';

type Deps = Pick<ServiceDeps, 'platforms' | 'rendering'> & {
  readonly profilePriceOf: (post: PostReference) => Promise<number>;
  /** The real-time factor of the speech engine. */
  readonly speed?: number | undefined;
};

/** GET /api/resolve: the possible meanings of a text, with the available requests. Nothing is fetched, so they need not exist. */
export async function resolveText(
  deps: ServiceDeps,
  _caller: unknown,
  { url: text }: ResolveQuery,
): Promise<Answer<Resolved>> {
  const speed = await deps.speechLanguages.speed();
  const subjects = await subjectsOf({ ...deps, speed, profilePriceOf: (post) => profilePriceOf(deps, post) }, text);
  return { state: 'finished', body: { subjects } };
}

export async function subjectsOf(deps: Deps, text: string): Promise<Subject[]> {
  const texts = [text, urlWithin(text)].filter((one) => one !== undefined);
  const named = await Promise.all(texts.map((one) => namedBy(deps, one)));
  const found = [...named, ...texts.map((one) => [webPageOf(deps, one)])];
  return found.map((some) => some.filter((one) => one !== undefined)).find(({ length }) => length > 0) ?? [];
}

/** People often share a sentence with a link. @returns the first link, without the punctuation that ends the sentence */
function urlWithin(text: string): string | undefined {
  const url = /https?:\/\/[^\s<>"']+/i.exec(text)?.[0];
  // If the link contains an opening bracket, its closing bracket belongs to the link.
  return url?.replace(url.includes('(') ? /(?<![.,;:!?])[.,;:!?]+$/ : /(?<![.,;:!?)\]])[.,;:!?)\]]+$/, '');
}

async function namedBy(deps: Deps, text: string): Promise<(Subject | undefined)[]> {
  const post = await postOf(deps, text);
  return [videoOf(deps, text), playlistOf(deps, text), channelOf(deps, text), post, profileOf(deps, text)];
}

function videoOf(deps: Deps, text: string): Subject | undefined {
  const { platforms, rendering } = deps;
  const { prices } = rendering;
  const id = videoIdOf(text, platforms.vidnetHosts);
  if (id === undefined) return undefined;
  const body = { vidnet_video_id: id };
  const url = urlIn(platforms.vidnetVideoUrl.replace('{id}', id));
  const page = webPageOf(deps, url);
  const offers = [
    offer('requestAudio', '/api/downloads/audio', { body, price: prices.audio }),
    offer('requestVideo', '/api/downloads/video', { body, price: prices.video }),
    // With fields that say how the file is made.
    ...(page?.offers.filter(({ operation }) => operation === 'requestMedia') ?? []),
    transcriptOf(prices, body),
    transcriptOf(prices, { ...body, include_comments: true }),
    speechOf(deps, body, prices.audio),
    mediaInfoOf(prices, id),
    labelsOf(prices, 'requestAudio'),
  ];
  return { kind: 'video', id, url, offers, note: null };
}

function playlistOf(deps: Deps, text: string): Subject | undefined {
  const id = playlistIdOf(text, deps.platforms.vidnetHosts);
  if (id === undefined) return undefined;
  const { url } = infoPageOf(deps, text).page;
  const { prices } = deps.rendering;
  return { kind: 'playlist', id, url, offers: [...batchesOf(prices, url), mediaInfoOf(prices, url)], note: null };
}

/** The operations that can be requested for every entry of a list. */
function batchesOf({ audio, video }: Prices, from: string): readonly Offer[] {
  return Object.entries({ requestAudio: audio, requestVideo: video }).map(([operation, price]) =>
    offer('createBatch', '/api/batches', { body: { from, each: { operation } }, price, per: 'entry' }),
  );
}

function channelOf({ platforms, rendering: { prices } }: Deps, text: string): Subject | undefined {
  const channel: ChannelReference | undefined = channelReferenceOf(text, platforms.vidnetHosts);
  if (channel === undefined) return undefined;
  const id = channelPathOf(channel);
  const offers = [
    offer('requestChannel', '/api/channel/profile', { body: { url: text.trim() }, price: prices.channel }),
    ...batchesOf(prices, text.trim()),
    mediaInfoOf(prices, text.trim()),
  ];
  return { kind: 'channel', id, url: urlIn(platforms.vidnetChannelUrl.replace('{path}', id)), offers, note: null };
}

async function postOf(deps: Deps, text: string): Promise<Subject | undefined> {
  const { platforms, rendering } = deps;
  const { prices } = rendering;
  const post = postReferenceOf(text, platforms.imgnetHosts);
  if (post === undefined) return undefined;
  const url = postUrlOf(post, platforms.imgnetUrl);
  const body = { url };
  const offers = [
    offer('requestImgnetContent', '/api/imgnet/content', {
      ...{ body, price: contentPrice({ ...prices, profile: await deps.profilePriceOf(post) }) },
    }),
    offer('requestImgnetAudio', '/api/imgnet/audio', { body, price: prices.imgnetAudio }),
    mediaOf(prices, url, 'video'),
    transcriptOf(prices, { ...body, mode: 'auto' }),
    speechOf(deps, body, prices.imgnetAudio),
    labelsOf(prices, 'requestImgnetAudio'),
  ];
  return { kind: post.kind, id: post.shortcode, url, ...ofImgnet(platforms, offers) };
}

function profileOf({ platforms, rendering: { prices } }: Deps, text: string): Subject | undefined {
  // A name with a dot may be a host as well; here it is only one of several meanings.
  const account = profileReferenceOf(text, platforms.imgnetHosts) ?? accountOf(text.trim());
  if (account === undefined) return undefined;
  const url = profileUrlOf(account, platforms.imgnetUrl);
  const offers = [
    offer('requestImgnetProfile', '/api/imgnet/profile', { body: { url: `@${account}` }, price: prices.profile }),
    offer('requestImgnetList', '/api/imgnet/list', {
      ...{ needs: ['list_id'], after: 'requestImgnetProfile' },
      ...{ price: prices.listItem, per: 'post' },
    }),
    offer('createBatch', '/api/batches', {
      body: { from: url, each: { operation: 'requestMedia', format: 'video' } },
      base: formatMoney(prices.profile + listPrice(prices, undefined)),
      ...{ price: mediaPrice(prices, 'video'), per: 'entry' },
    }),
  ];
  return { kind: 'profile', id: account, url, ...ofImgnet(platforms, offers) };
}

/** A page of any other site. The scheme may be missing if the text has a host and a path. */
function webPageOf(deps: Deps, text: string): Subject | undefined {
  const trimmed = text.trim();
  const given = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?\/./.test(trimmed) ? `https://${trimmed}` : trimmed;
  if (!/^https?:\/\/\S+$/i.test(given) || !URL.canParse(given)) return undefined;
  const { prices } = deps.rendering;
  const { imgnetHosts } = deps.platforms;
  const reason = noPostReason(given, imgnetHosts);
  if (reason !== undefined) return { kind: 'page', id: given, url: new URL(given).href, offers: [], note: reason };
  try {
    const { url } = pageOf(deps, given);
    const offers = mediaFormatSchema.options.map((format) => mediaOf(prices, url, format));
    offers.push(transcriptOf(prices, { url, mode: 'auto' }), speechOf(deps, { url }, prices.mediaAudio));
    return { kind: 'page', id: url, url, offers: [...offers, mediaInfoOf(prices, url)], note: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [{ message } = error] = error.extras.details ?? [];
    return { kind: 'page', id: given, url: new URL(given).href, offers: [], note: message };
  }
}

function mediaOf(prices: Prices, url: string, format: MediaFormat): Offer {
  return offer('requestMedia', '/api/downloads/media', { body: { url, format }, price: mediaPrice(prices, format) });
}

/** Offers the captions. In the mode `auto`, media without captions are transcribed, which is charged as by `requestSpeech`. */
function transcriptOf(prices: Prices, body: Offer['body']): Offer {
  const price = transcriptPrice(prices, { includeComments: body['include_comments'] === true });
  return offer('requestTranscript', '/api/transcripts', { body, needs: ['language'], price });
}

function speechOf({ rendering: { prices }, speed }: Deps, body: Offer['body'], audioPrice: Thousandths): Offer {
  return {
    ...offer('requestSpeech', '/api/speech', { body, price: prices.speakerLabelsPerMinute, per: 'minute' }),
    base: formatMoney(audioPrice),
    ...optional('seconds_per_minute', speed === undefined ? undefined : Math.round(speed * 600) / 10),
  };
}

function labelsOf({ speakerLabelsPerMinute: price }: Prices, after: string): Offer {
  const needs = ['transcript_with_speaker_id'];
  return offer('requestSpeakerLabels', '/api/transcriptspeakerid', { needs, after, price, per: 'minute' });
}

function mediaInfoOf({ mediaInfo: price }: Prices, url: string): Offer {
  return offer('requestMediaInfo', '/api/media/info', { body: { url }, price });
}

function offer(
  operation: string,
  path: string,
  { price, ...more }: Partial<Omit<Offer, 'price'>> & { readonly price: number },
): Offer {
  return { operation, path, body: {}, needs: [], after: null, per: 'job', ...more, price: formatMoney(price) };
}

function ofImgnet(platforms: Deps['platforms'], offers: readonly Offer[]): Pick<Subject, 'offers' | 'note'> {
  const note = imgnetRefusal(platforms);
  return { offers: note === undefined ? [...offers] : [], note: note ?? null };
}

function urlIn(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}

import { z } from 'zod';
import type { CatalogueVideo } from '../../local/sandbox/catalogue.ts';
import type { Sandbox } from '../../local/sandbox/server.ts';

const indexSchema = z.object({
  channels: z.array(z.object({ url: z.string(), case: z.string() })),
  accounts: z.array(z.object({ url: z.string(), case: z.string() })),
  posts: z.array(z.object({ url: z.string(), case: z.string() })),
});

export type SandboxIndex = Awaited<ReturnType<typeof readSandboxIndex>>;

export async function readSandboxIndex(sandbox: Sandbox) {
  const index = indexSchema.parse(await (await fetch(`${sandbox.url}/`)).json());
  const videos = (kind: string): readonly string[] =>
    sandbox.catalogue.filter((video) => video.case === kind).map(({ id }) => id);
  const urls = (all: readonly { url: string; case: string }[], kinds: readonly string[]): readonly string[] =>
    all.filter((one) => kinds.includes(one.case)).map(({ url }) => url);
  return {
    /** Ids of videos that have everything: sound, picture, captions and comments. */
    talks: videos('ordinary'),
    videos,
    channels: (...kinds: readonly string[]) => urls(index.channels, kinds),
    accounts: (...kinds: readonly string[]) => urls(index.accounts, kinds),
    posts: (deleted: boolean): readonly string[] =>
      index.posts.filter((one) => (one.case === 'deleted') === deleted).map(({ url }) => url),
    videoUrl: (id: string): string => sandbox.env.VIDNET_VIDEO_URL.replace('{id}', id),
    video: (id: string): CatalogueVideo | undefined => sandbox.catalogue.find((one) => one.id === id),
  };
}

/** @returns the ID of the video that was published or changed; throws when the sandbox refuses the request */
export async function changeChannel(sandbox: Pick<Sandbox, 'url'>, change: object): Promise<string> {
  const answer = await fetch(`${sandbox.url}/change`, { method: 'POST', body: JSON.stringify(change) });
  if (!answer.ok) throw new Error(`the sandbox answered ${String(answer.status)}: ${await answer.text()}`);
  return z.object({ id: z.string() }).parse(await answer.json()).id;
}

/** Switches on a fault of the sandbox. @throws when the sandbox refuses the request */
export async function misbehave(sandbox: Pick<Sandbox, 'url'>, fault: object): Promise<void> {
  const answer = await fetch(`${sandbox.url}/misbehave`, { method: 'POST', body: JSON.stringify(fault) });
  if (!answer.ok) throw new Error(`the sandbox answered ${String(answer.status)}: ${await answer.text()}`);
}

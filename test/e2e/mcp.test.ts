import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../api/operations/operations.ts';
import type { Operation } from '../../api/operations/operation.ts';
import { makeKey } from '../fuzz/key.ts';
import { imgnetIndex, postUrl } from '../helpers/imgnet.ts';
import { TestService } from '../helpers/service.ts';

const COMMAND = join(import.meta.dirname, '../../command/tapedeck.mjs');
const NAMES = Object.values<Operation>(operations).flatMap(({ tool }) => (tool === undefined ? [] : [tool]));

let service: TestService;
let key: string;
beforeAll(async () => {
  service = await TestService.shared();
  key = await makeKey(service.stack);
}, 120_000);
afterAll(() => service.stop());

type Transport = 'http' | 'stdio';
const ways = (['http', 'stdio'] as const).flatMap((transport) => [
  { transport, isKeyed: false },
  { transport, isKeyed: true },
]);

async function connected(transport: Transport, isKeyed: boolean, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const { restUrl: url } = service.stack;
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const headers = isKeyed ? { authorization: `Bearer ${key}` } : {};
  const env = { ...(process.env as Record<string, string>), TAPEDECK_URL: url, ...(isKeyed && { TAPEDECK_KEY: key }) };
  await client.connect(
    transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
      : new StdioClientTransport({ command: process.execPath, args: [COMMAND, 'mcp'], env }),
  );
  return client;
}

function textsOf({ content }: Pick<CallToolResult, 'content'>): string[] {
  return content.map((part) => (part.type === 'text' ? part.text : ''));
}

/** @returns what stands between the marks of untrusted data */
function dataOf(result: Pick<CallToolResult, 'content'>): string {
  const [, , data] = /^<(untrusted-[0-9a-f]{16})>\n([^]*)\n<\/\1>$/.exec(textsOf(result).at(-1) ?? '') ?? [];
  if (data === undefined) throw new Error(`not marked: ${textsOf(result).join('\n').slice(0, 500)}`);
  return data;
}

const jsonOf = (result: Pick<CallToolResult, 'content'>): unknown => JSON.parse(dataOf(result).split('\n')[0] ?? '');

describe.each(ways)('an MCP client over $transport, with a key: $isKeyed', ({ transport, isKeyed }) => {
  it('lists and calls every tool', async () => {
    const client = await connected(transport, isKeyed);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
    const called = new Set<string>();
    const call = async (name: string, given: Record<string, unknown>): Promise<CallToolResult> => {
      called.add(name);
      const result = await client.callTool({ name, arguments: given });
      dataOf(result);
      if (result.isError === true) throw new Error(`${name}: ${textsOf(result).join('\n')}`);
      return result;
    };
    const video = service.videoId('ordinary');
    const other = service.videoId('ordinary', 1);
    const url = `${service.sandbox.url}/watch?v=${video}`;
    const channel = `${service.sandbox.url}/${service.sandbox.channels.find((one) => one.case === 'ordinary')!.handle}`;
    const index = await imgnetIndex(service);
    const account = index.accounts.find((one) => one.case === 'ordinary')!;

    await call('resolve_text', { url: video });
    await call('look_at_url', { url });
    await call('get_channel', { url: channel });
    await call('get_media', { url, format: 'audio' });
    const { data: audio } = jsonOf(await call('get_audio', { vidnet_video_id: video })) as { data: { id: string } };
    await call('get_video', { vidnet_video_id: video });
    await call('get_transcript', { vidnet_video_id: video, language: 'en', include_comments: true });
    await call('get_speech', { vidnet_video_id: video });
    const profile = jsonOf(await call('get_profile', { url: account.url })) as { list_id: string };
    await call('get_posts', { list_id: profile.list_id });
    const post = postUrl(index, 'reel');
    await call('get_post', { url: post });
    await call('get_post_audio', { url: post });

    expect(dataOf(await call('list_jobs', { type: 'audio' }))).toContain(audio.id);
    await call('get_job', { download_id: audio.id });
    await call('get_job_details', { download_id: audio.id });
    await call('get_result', { download_id: audio.id });

    const items = [{ operation: 'requestAudio', vidnet_video_id: other }];
    const batch = jsonOf(await call('create_batch', { items, include_webhook: 'https://example.com/' })) as {
      id: string;
    };
    const ofBatch = { batch_id: batch.id };
    await expect.poll(async () => dataOf(await call('get_batch', ofBatch))).toContain('"status":"finished"');
    await call('list_batches', {});
    expect(dataOf(await call('list_batch_items', { ...ofBatch, limit: 1 }))).toContain(other);
    const subscription = { from: channel, each: { operation: 'requestAudio' }, since: 'now', every: '30d' };
    const { id } = jsonOf(await call('create_subscription', subscription)) as { id: string };
    const ofSubscription = { subscription_id: id };
    await call('list_subscriptions', {});
    await call('get_subscription', ofSubscription);
    await call('change_subscription', { ...ofSubscription, name: 'Talks' });
    await call('pause_subscription', ofSubscription);
    await call('resume_subscription', ofSubscription);
    await call('list_subscription_items', ofSubscription);

    // These refuse, since there is nothing to do; the errors say so.
    const refused = async (name: string, given: Record<string, unknown>, code: string): Promise<void> => {
      called.add(name);
      const result = await client.callTool({ name, arguments: given });
      expect({ name, isError: result.isError, data: jsonOf(result) }).toMatchObject({
        name,
        isError: true,
        data: { code },
      });
    };
    await refused('cancel_job', { download_id: audio.id }, isKeyed ? 'forbidden' : 'already_finished');
    await refused('cancel_batch', ofBatch, 'already_finished');
    await refused('resume_batch', ofBatch, 'not_ready');
    await refused('retry_batch', ofBatch, 'already_finished');
    called.add('check_subscription');
    await client.callTool({ name: 'check_subscription', arguments: ofSubscription });
    await call('delete_subscription', ofSubscription);
    if (isKeyed) await call('get_account', {});
    else await refused('get_account', {}, 'unauthorized');
    expect(NAMES.filter((name) => !called.has(name))).toEqual([]);

    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'tapedeck://job/{download_id}',
      'tapedeck://result/{download_id}{?cursor}',
    ]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(`tapedeck://result/${audio.id}`);
    const { contents } = await client.readResource({ uri: `tapedeck://job/${audio.id}` });
    expect(contents).toMatchObject([{ text: expect.stringMatching(/^<untrusted-/) as string }]);
    await client.close();
  }, 180_000);
});

describe('an assistant', () => {
  it('finds out what is said in a video about a subject, when and by whom, with three calls', async () => {
    const client = await connected('http', true);
    const url = `${service.sandbox.url}/watch?v=${service.videoId('automatic_captions')}`;
    const { subjects } = jsonOf(await client.callTool({ name: 'resolve_text', arguments: { url } })) as {
      subjects: object[];
    };
    expect(subjects).not.toEqual([]);
    const page = await client.callTool({ name: 'look_at_url', arguments: { url } });
    expect(jsonOf(page)).toMatchObject({ title: expect.any(String) as string });
    const progress: string[] = [];
    const onprogress = ({ message = '' }: { readonly message?: string | undefined }) => void progress.push(message);
    const speech = await client.callTool({ name: 'get_speech', arguments: { url } }, { onprogress });
    expect(dataOf(speech)).toMatch(/^\[\d+:\d\d\] Speaker \d: .*Another/m);
    expect(progress).not.toEqual([]);
    await client.close();
  });

  it.each(['http', 'stdio'] as const)('with the protocol of 2025 gets progress over %s', async (transport) => {
    const client = await connected(transport, false, 'legacy');
    const progress: number[] = [];
    const given = { vidnet_video_id: service.videoId(transport === 'http' ? 'hd720' : 'vp9_opus') };
    const options = { onprogress: (one: { readonly progress: number }) => void progress.push(one.progress) };
    const result = await client.callTool({ name: 'get_audio', arguments: given }, options);
    expect(jsonOf(result)).toMatchObject({ data: { status: 'success' } });
    expect(progress).toEqual(progress.map((_, i) => i + 1));
    expect(progress.length).toBeGreaterThan(0);
    await client.close();
  });

  it('reads the API as Markdown, to which /llms.txt leads', async () => {
    const { restUrl } = service.stack;
    const index = await (await fetch(`${restUrl}/llms.txt`)).text();
    const [, address = ''] = /\]\((\S+api\.md)\)/.exec(index) ?? [];
    const page = await (await fetch(restUrl + new URL(address).pathname)).text();
    for (const { method, path } of Object.values<Operation>(operations))
      expect(page).toContain(`\n### ${method.toUpperCase()} ${path}\n`);
    expect(page).toMatch(/`vidnet_video_id` \(string, required\)/);
    const anchors = [...index.matchAll(/api\.md#([\w-]+)/g)].map(([, anchor]) => anchor);
    const titles = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
    expect(anchors).toEqual(titles);
  });
});

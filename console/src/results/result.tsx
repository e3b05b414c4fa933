import type { ComponentChildren } from 'preact';
import { lazy } from 'preact/compat';
import type { JobDetails } from '../../../contract/http/job-details.ts';
import type { ChannelProfile } from '../../../contract/kinds/channel.ts';
import type { ImgnetPost, ImgnetReel } from '../../../contract/kinds/imgnet-content.ts';
import type { ImgnetList } from '../../../contract/kinds/imgnet-list.ts';
import type { ImgnetProfile } from '../../../contract/kinds/imgnet-profile.ts';
import { read } from '../console-api.ts';
import type { Download } from '../types.ts';
import { Loaded } from '../ui/parts.tsx';
import { Files } from './files.tsx';

// Each view is loaded on demand, because most users open only a few.
const Speakers = lazy(async () => (await import('./speakers.tsx')).Speakers);
const Captions = lazy(async () => (await import('./captions.tsx')).Captions);
const Channel = lazy(async () => (await import('./channel.tsx')).Channel);
const List = lazy(async () => (await import('./photo-list.tsx')).PhotoList);
const Profile = lazy(async () => (await import('./profile.tsx')).Profile);
const Post = lazy(async () => (await import('./post.tsx')).Post);

/** Shows the result of a job in a view for its kind. */
export function Result({ record, files }: { readonly record: Download; readonly files: JobDetails['files'] }) {
  switch (record.type) {
    case 'audio':
    case 'vidnet_video':
    case 'imgnet_audio':
    case 'media':
      return <Files record={record} files={files} />;
    case 'speaker_labels':
      return <Speakers record={record} />;
    case 'captions':
      return <Captions record={record} />;
    case 'list':
      return loaded<ChannelProfile>(record, 'channel', (channel) => <Channel channel={channel} />);
    case 'imgnet_list_posts':
    case 'imgnet_list_reels':
      return loaded<ImgnetList>(record, 'list', (list) => <List record={record} list={list} />);
    case 'imgnet_profile':
      return loaded<ImgnetProfile>(record, 'profile', (profile) => <Profile profile={profile} />);
    case 'imgnet_post':
      return loaded<ImgnetPost | ImgnetReel>(record, 'post', (post) => <Post post={post} />);
  }
}

function loaded<Body>({ id }: Download, name: string, view: (body: Body) => ComponentChildren) {
  const load = (signal: AbortSignal): Promise<Body> => read<Body>(`/api/downloads/${id}/result`, signal);
  return (
    <Loaded load={load} dependsOn={[id]} what={`Loading the ${name}`}>
      {view}
    </Loaded>
  );
}

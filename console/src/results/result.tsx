import type { ComponentType } from 'preact';
import { lazy } from 'preact/compat';
import { read } from '../console-api.ts';
import type { AboutJob, Download } from '../types.ts';
import { Loaded } from '../ui/parts.tsx';
import { Files } from './files.tsx';

// Each view is loaded on demand, because most users open only a few.
const Speakers = lazy(async () => (await import('./speakers.tsx')).Speakers);
const Captions = lazy(async () => (await import('./captions.tsx')).Captions);
const Channel = lazy(async () => (await import('./channel.tsx')).Channel);
const List = lazy(async () => (await import('./photo-list.tsx')).PhotoList);
const Profile = lazy(async () => (await import('./profile.tsx')).Profile);
const MediaInfoDetails = lazy(async () => (await import('./media-info-details.tsx')).MediaInfoDetails);
const Post = lazy(async () => (await import('./post.tsx')).Post);

export function Result({ record, details }: AboutJob) {
  switch (record.type) {
    case 'audio':
    case 'vidnet_video':
    case 'imgnet_audio':
    case 'media':
    case 'upload':
      return <Files record={record} details={details} />;
    case 'speaker_labels':
      return <Speakers record={record} />;
    case 'captions':
      return <Captions record={record} />;
    case 'list':
      return loaded(record, 'channel', Channel);
    case 'imgnet_list_posts':
    case 'imgnet_list_reels':
      return loaded(record, 'list', List);
    case 'imgnet_profile':
      return loaded(record, 'profile', Profile);
    case 'media_info':
      return loaded(record, 'page', MediaInfoDetails);
    case 'imgnet_post':
      return loaded(record, 'post', Post);
  }
}

interface ViewProps<Body> {
  readonly record: Download;
  readonly result: Body;
}

function loaded<Body>(record: Download, name: string, View: ComponentType<ViewProps<Body>>) {
  const load = (signal: AbortSignal): Promise<Body> => read<Body>(`/api/downloads/${record.id}/result`, signal);
  return (
    <Loaded load={load} dependsOn={[record.id]} what={`Loading the ${name}`}>
      {(result) => <View record={record} result={result} />}
    </Loaded>
  );
}

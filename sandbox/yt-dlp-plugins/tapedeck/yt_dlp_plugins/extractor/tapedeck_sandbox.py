"""Lets yt-dlp read the sandbox: the same data and the same error texts that it gives for the real platform."""

import itertools

from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.networking.exceptions import HTTPError, network_exceptions
from yt_dlp.utils import ExtractorError, traverse_obj

LOOPBACK = r'https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?'


class _SandboxBaseIE(InfoExtractor):
    def _download_page(self, url, item_id, **kwargs):
        """429 and 403 are final, other network errors are tried again: as for the real platform."""
        for retry in self.RetryManager():
            try:
                return self._download_json(
                    url, item_id, note='Downloading player API JSON', errnote='Unable to download API page', **kwargs)
            except ExtractorError as error:
                if not isinstance(error.cause, network_exceptions):
                    raise
                if isinstance(error.cause, HTTPError) and error.cause.status in (403, 429):
                    raise
                retry.error = error

    @staticmethod
    def _channel_facts(channel):
        return {
            'channel': channel.get('title'),
            'channel_id': channel.get('id'),
            'channel_url': channel.get('url'),
            'channel_follower_count': channel.get('followerCount'),
            'uploader': channel.get('title'),
            'uploader_id': channel.get('handle'),
            'uploader_url': channel.get('handleUrl'),
        }


class TapedeckSandboxIE(_SandboxBaseIE):
    IE_NAME = 'tapedeck:sandbox'
    _VALID_URL = LOOPBACK + r'/watch\?v=(?P<id>[A-Za-z0-9_-]{11})(?:[&#]|$)'

    def _real_extract(self, url):
        video_id = self._match_id(url)
        page = self._download_page(url, video_id)
        if not page.get('formats'):
            self._raise_unplayable(page['playability'])
        live_status = page['liveStatus']
        return {
            'id': page['id'],
            'title': page['title'],
            'description': page['description'],
            **self._channel_facts(page['channel']),
            'timestamp': page['publishedAtSeconds'],
            'duration': page.get('durationSeconds'),
            'view_count': page['viewCount'],
            'like_count': page['likeCount'],
            'tags': page['tags'],
            'age_limit': 0,
            'availability': 'public',
            'live_status': live_status,
            'media_type': 'livestream' if live_status == 'is_live' else 'video',
            'formats': [self._format(one) for one in page['formats']],
            'subtitles': self._captions(page, 'manual'),
            'automatic_captions': self._captions(page, 'automatic'),
        }

    def _raise_unplayable(self, playability):
        reason = playability.get('reason') or ''
        subreason = playability.get('subreason')
        if subreason and subreason.startswith('The uploader has not made this video available in your country'):
            self.raise_geo_restricted(subreason, playability.get('availableCountries'), metadata_available=True)
        if subreason:
            reason += f'. {subreason}'
        if 'sign in' in reason.lower():
            reason = f'{reason.rstrip(".")}. {self._login_hint(method="cookies")}'
        if reason:
            self.raise_no_formats(reason, expected=True)

    @staticmethod
    def _format(one):
        separate = 'none' in (one['acodec'], one['vcodec'])
        kbps = one['totalKbps']
        return {
            'format_id': one['formatId'],
            'url': one['url'],
            'ext': one['ext'],
            'container': f'{one["ext"]}_dash' if separate and one['ext'] in ('m4a', 'mp4', 'webm') else None,
            'acodec': one['acodec'],
            'vcodec': one['vcodec'],
            'filesize': one.get('sizeBytes'),
            'tbr': kbps,
            'abr': kbps if one['vcodec'] == 'none' else None,
            'vbr': kbps if one['acodec'] == 'none' else None,
            'width': one.get('width'),
            'height': one.get('height'),
            'fps': one.get('picturesPerSecond'),
            'asr': one.get('sampleRateHz'),
            'audio_channels': one.get('audioChannels'),
        }

    @staticmethod
    def _captions(page, kind):
        tracks = {}
        for track in page['captions']:
            if track['kind'] != kind:
                continue
            # What was recognised has a second name that tells it from machine translations.
            names = [track['language']] + ([f'{track["language"]}-orig'] if kind == 'automatic' else [])
            for language in names:
                tracks[language] = [{**one, 'name': track['name']} for one in track['files']]
        return tracks


class TapedeckSandboxChannelIE(_SandboxBaseIE):
    IE_NAME = 'tapedeck:sandbox:channel'
    _VALID_URL = LOOPBACK + r'/(?P<id>@[\w.-]+|channel/UC[\w-]{22})(?:/videos)?/?(?:[?#]|$)'

    def _real_extract(self, url):
        channel_id = self._match_id(url)
        first = self._download_page(url, channel_id, query={'page': 1})
        channel = first['channel']

        def entries():
            page = first
            for _ in itertools.count():
                for video in page['videos']:
                    yield self.url_result(
                        video['url'], TapedeckSandboxIE, video['id'], video['title'],
                        duration=video.get('durationSeconds'), view_count=video['viewCount'])
                if not page['nextPage']:
                    return
                page = self._download_page(url, channel_id, query={'page': page['nextPage']})

        return self.playlist_result(
            entries(), channel['id'], f'{channel["title"]} - Videos', traverse_obj(channel, 'description'),
            **self._channel_facts(channel))

"""Lets yt-dlp read the sandbox: the same data and the same error texts that it gives for the real platform."""

import itertools
import sys

from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.networking.exceptions import HTTPError, network_exceptions
from yt_dlp.utils import ExtractorError, datetime_from_str, int_or_none

LOOPBACK = r'https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?'


class _SandboxBaseIE(InfoExtractor):
    def _download_page(self, url, item_id, note='Downloading player API JSON', **kwargs):
        """429 and 403 are final, other network errors are tried again: as for the real platform."""
        for retry in self.RetryManager():
            try:
                return self._download_json(
                    url, item_id, note=note, errnote='Unable to download API page', **kwargs)
            except ExtractorError as error:
                if not isinstance(error.cause, network_exceptions):
                    raise
                if isinstance(error.cause, HTTPError) and error.cause.status in (403, 404, 429):
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

    @staticmethod
    def _thumbnail(one, **more):
        return {'url': one['url'], 'width': one['width'], 'height': one['height'], **more}

    @staticmethod
    def _estimate(time_text):
        """The platform only says "3 weeks ago"; yt-dlp makes a time of it that is known not to be exact."""
        if not time_text or time_text == 'now':
            time_text = '0 second ago'
        amount, unit, _ = time_text.split(' ')
        return int(datetime_from_str(f'now-{amount}{unit.rstrip("s")}s').timestamp())


class TapedeckSandboxIE(_SandboxBaseIE):
    IE_NAME = 'tapedeck:sandbox'
    _VALID_URL = LOOPBACK + r'/watch\?v=(?P<id>[A-Za-z0-9_-]{11})(?:[&#]|$)'

    def _real_extract(self, url):
        video_id = self._match_id(url)
        page = self._download_page(url, video_id)
        if not page.get('formats'):
            self._raise_unplayable(page['playability'])
        if 'title' not in page:
            # An id that nobody has. Where a lack of media is a warning, the real extractor goes on with nothing too.
            return {'id': video_id, 'title': None, 'formats': []}
        live_status = page['liveStatus']
        return {
            'id': page['id'],
            'title': page['title'],
            'description': page['description'],
            **self._channel_facts(page['channel']),
            'timestamp': page['publishedAtSeconds'],
            'duration': page.get('durationSeconds'),
            'view_count': page['viewCount'],
            'like_count': page.get('likeCount'),
            'comment_count': page.get('commentCount'),
            'tags': page['tags'],
            'thumbnails': [self._thumbnail(one) for one in page['thumbnails']],
            'age_limit': 0,
            'availability': 'public',
            'live_status': live_status,
            'media_type': 'livestream' if live_status == 'is_live' else 'video',
            'formats': [self._format(one) for one in page['formats']],
            'subtitles': self._manual_captions(page, url),
            'automatic_captions': self._automatic_captions(page),
            '__post_extractor': self.extract_comments(page.get('commentsUrl'), video_id),
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
    def _track(track, name, translate_to=None):
        query = f'?tlang={translate_to}' if translate_to else ''
        return [{'ext': one['ext'], 'url': one['url'] + query, 'name': name} for one in track['files']]

    def _manual_captions(self, page, url):
        tracks = {
            track['language']: self._track(track, track['name'])
            for track in page['captions'] if track['kind'] == 'manual'}
        if page['liveChat']:
            tracks['live_chat'] = [{
                'url': f'{url}&bpctr=9999999999&has_verified=1',
                'video_id': page['id'],
                'ext': 'json',
                'protocol': 'youtube_live_chat_replay',
            }]
        return tracks

    def _automatic_captions(self, page):
        """What was recognised is listed twice, `en` and `en-orig`, among machine translations of it and of manual captions."""
        tracks = {}
        languages = page['translationLanguages']
        for track in page['captions']:
            original = track['language']
            manual = track['kind'] == 'manual'
            if not manual:
                tracks[f'{original}-orig'] = self._track(track, f'{track["name"]} (Original)')
                tracks[original] = self._track(track, track['name'])
            for language, name in languages.items():
                if not manual and language == original:
                    continue
                key = f'{language}-{original}' if manual else language
                tracks[key] = self._track(
                    track, f'{name} from {track["name"]}' if manual else name,
                    None if language == original else language)
        return tracks

    def _get_comments(self, comments_url, video_id):
        if not comments_url:
            raise self.CommentsDisabled
        # The names and meanings of the real extractor's arguments.
        limits = (self._configuration_arg('max_comments', ie_key='youtube') + [''] * 5)[:5]
        most, parents, replies, replies_per_thread, depth = (int_or_none(one, default=sys.maxsize) for one in limits)
        sort = 'top' if self._configuration_arg('comment_sort', [''], ie_key='youtube')[0] == 'top' else 'new'
        self._replies_left = replies
        yield from itertools.islice(
            self._threads(comments_url, video_id, {'sort': sort}, (parents, replies_per_thread, depth)), most)

    def _threads(self, comments_url, video_id, query, limits, parent='root', level=1):
        most, replies_per_thread, depth = limits
        comments = self._comments(comments_url, video_id, query)
        for comment in itertools.islice(comments, most) if level == 1 else comments:
            if level > 1:
                if self._replies_left <= 0:
                    return
                self._replies_left -= 1
            yield self._comment(comment, parent)
            if comment['replyCount'] and level < depth:
                yield from itertools.islice(self._threads(
                    comments_url, video_id, {'parent': comment['id']}, limits, comment['id'], level + 1),
                    replies_per_thread)

    def _comments(self, comments_url, video_id, query):
        page_number = 1
        while page_number:
            page = self._download_page(
                comments_url, video_id, note=f'Downloading comment API JSON page {page_number}',
                query={**query, 'page': page_number})
            yield from page['comments'] or []
            page_number = page.get('nextPage')

    def _comment(self, comment, parent):
        return {
            'id': comment['id'],
            'parent': parent,
            'text': comment['text'],
            'like_count': comment['likeCount'],
            'author_id': comment['authorId'],
            'author': comment['author'],
            'author_url': comment['authorUrl'],
            'author_is_uploader': comment['authorIsUploader'],
            'is_favorited': comment['isFavorited'],
            **({'is_pinned': True} if comment['isPinned'] else {}),
            '_time_text': comment['publishedText'],
            'timestamp': self._estimate(comment['publishedText']),
        }


class TapedeckSandboxChannelIE(_SandboxBaseIE):
    IE_NAME = 'tapedeck:sandbox:channel'
    _VALID_URL = LOOPBACK + r'/(?P<id>@[^/?#]+|(?:channel|c|user)/[^/?#]+)(?P<tab>/videos)?/?(?:[?#]|$)'

    def _real_extract(self, url):
        channel_id, tab = self._match_valid_url(url).group('id', 'tab')
        first = self._download_page(url, channel_id, query={'page': 1})
        for alert in first.get('alerts') or []:
            raise ExtractorError(f'YouTube said: {alert["text"]}', expected=True)
        if tab and 'videos' not in first['tabs']:
            raise ExtractorError('This channel does not have a videos tab', expected=True)
        channel = first['channel']
        estimates = bool(self._configuration_arg('approximate_date', ie_key='youtubetab'))

        def entries():
            page = first
            while True:
                for video in page['videos']:
                    yield self.url_result(
                        video['url'], TapedeckSandboxIE, video['id'], video['title'],
                        duration=video.get('durationSeconds'), view_count=video['viewCount'],
                        thumbnails=[self._thumbnail(one) for one in video['thumbnails']],
                        live_status=None if video['liveStatus'] == 'not_live' else video['liveStatus'],
                        timestamp=self._estimate(video['publishedText']) if estimates else None)
                if not page['nextPage']:
                    return
                page = self._download_page(url, channel_id, query={'page': page['nextPage']})

        return self.playlist_result(
            entries(), channel['id'], f'{channel["title"]} - Videos' if first['tabs'] else channel['title'],
            channel.get('description'), **self._channel_facts(channel), availability='public', tags=[],
            thumbnails=[
                self._thumbnail(channel['banner'], preference=-10),
                {'url': channel['banner']['url'], 'id': 'banner_uncropped', 'preference': -5},
                *(self._thumbnail(one) for one in channel['avatars']),
                {'url': channel['avatars'][-1]['url'], 'id': 'avatar_uncropped', 'preference': 1},
            ])

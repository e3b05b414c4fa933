"""Lets yt-dlp read the sandbox: the same data and the same error texts that it gives for the real platform."""

import itertools
import sys

from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.networking.exceptions import HTTPError, network_exceptions
from yt_dlp.utils import ExtractorError, datetime_from_str, int_or_none

LOOPBACK = r'https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?'


class _SandboxBaseIE(InfoExtractor):
    def _download_page(self, url, item_id, note='Downloading player API JSON', **kwargs):
        """429 and 403 are final, other network errors are retried, as for the real platform."""
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
    def _estimate(time_text):
        """Returns an approximate time for a text such as "3 weeks ago"."""
        amount, unit, _ = time_text.split(' ')
        return int(datetime_from_str(f'now-{amount}{unit}').timestamp())


class TapedeckSandboxIE(_SandboxBaseIE):
    IE_NAME = 'tapedeck:sandbox'
    _VALID_URL = LOOPBACK + r'/watch\?v=(?P<id>[A-Za-z0-9_-]{11})(?:[&#]|$)'

    def _real_extract(self, url):
        video_id = self._match_id(url)
        page = self._download_page(url, video_id)
        info = page['info']
        if not info['formats']:
            self._raise_unplayable(page['playability'])
        if info['title'] is None:
            # An unknown video. Where a lack of media is a warning, the real extractor returns nothing too.
            return info
        return {**info, '__post_extractor': self.extract_comments(page['commentsUrl'], video_id)}

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
            reply_count = comment.pop('replyCount')
            yield {**comment, 'parent': parent, 'timestamp': self._estimate(comment['_time_text'])}
            if reply_count and level < depth:
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
            page_number = page['nextPage']


class _SandboxListBaseIE(_SandboxBaseIE):
    def _entries(self, url, list_id, page):
        estimates = bool(self._configuration_arg('approximate_date', ie_key='youtubetab'))
        while True:
            for video in page['videos']:
                time_text = video.pop('publishedText')
                yield {
                    **video, '_type': 'url', 'ie_key': TapedeckSandboxIE.ie_key(),
                    'timestamp': self._estimate(time_text) if estimates else None}
            if not page['nextPage']:
                return
            page = self._download_page(url, list_id, query={'page': page['nextPage']})


class TapedeckSandboxPlaylistIE(_SandboxListBaseIE):
    IE_NAME = 'tapedeck:sandbox:playlist'
    _VALID_URL = LOOPBACK + r'/playlist\?list=(?P<id>[\w-]+)'

    def _real_extract(self, url):
        list_id = self._match_id(url)
        first = self._download_page(url, list_id, query={'page': 1})
        for alert in first.get('alerts') or []:
            raise ExtractorError(f'YouTube said: {alert["text"]}', expected=True)
        return {**first['playlist'], '_type': 'playlist', 'entries': self._entries(url, list_id, first)}


class TapedeckSandboxChannelIE(_SandboxListBaseIE):
    IE_NAME = 'tapedeck:sandbox:channel'
    _VALID_URL = LOOPBACK + r'/(?P<id>@[^/?#]+|(?:channel|c|user)/[^/?#]+)(?P<tab>/videos)?/?(?:[?#]|$)'

    def _real_extract(self, url):
        channel_id, tab = self._match_valid_url(url).group('id', 'tab')
        first = self._download_page(url, channel_id, query={'page': 1})
        for alert in first.get('alerts') or []:
            raise ExtractorError(f'YouTube said: {alert["text"]}', expected=True)
        if tab and 'videos' not in first['tabs']:
            raise ExtractorError('This channel does not have a videos tab', expected=True)
        return {**first['channel'], '_type': 'playlist', 'entries': self._entries(url, channel_id, first)}

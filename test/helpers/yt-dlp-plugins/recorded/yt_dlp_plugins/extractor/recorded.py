"""Lets yt-dlp read shapes that an extractor of the real platform has given, so that the rest of yt-dlp handles them."""

from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.utils import ExtractorError


class RecordedIE(InfoExtractor):
    _VALID_URL = r'http://127\.0\.0\.1:\d+/recorded/(?P<id>[^?#]+)'

    def _real_extract(self, url):
        info = self._download_json(url, self._match_id(url))
        for warning in info.pop('warnings', []):
            self.report_warning(warning)
        if 'then_breaks' in info:
            raise KeyError(info['then_breaks'])
        then_fails = info.pop('then_fails', None)
        if 'recorded_comments' in info:
            info['__post_extractor'] = self.extract_comments(info.pop('recorded_comments'), then_fails)
        if info.get('_type') == 'playlist':
            info['entries'] = self._entries(info['entries'], then_fails)
        return info

    def _entries(self, entries, then_fails):
        for entry in entries:
            if entry['_type'] == 'playlist':
                entry.update({'extractor': self.IE_NAME, 'extractor_key': self.ie_key()})
            yield entry
        self._fail(then_fails)

    def _get_comments(self, comments, then_fails):
        if comments is None:
            raise self.CommentsDisabled
        yield from comments
        self._fail(then_fails)

    def _fail(self, error):
        """As the real extractor: data that stay incomplete are an error only for who asks for one."""
        if error == 'Incomplete data received' and not self._configuration_arg('raise_incomplete_data', ie_key='youtube'):
            self.report_warning(error)
        elif error:
            raise ExtractorError(error, expected=True)

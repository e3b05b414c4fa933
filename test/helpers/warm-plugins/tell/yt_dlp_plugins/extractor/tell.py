"""Pages that have yt-dlp tell what it runs in, or hang with a program that it has started."""

import json
import os
import random
import resource
import signal
import subprocess
import tempfile
import time

from yt_dlp.extractor.common import InfoExtractor
from yt_dlp.utils.networking import std_headers

LIMITS = (resource.RLIMIT_FSIZE, resource.RLIMIT_DATA, resource.RLIMIT_CORE)


class TellIE(InfoExtractor):
    _VALID_URL = r'tell:(?P<id>facts|hang|stubborn)'

    def _real_extract(self, url):
        what = self._match_id(url)
        if what != 'facts':
            if what == 'stubborn':
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            program = subprocess.Popen(['sleep', '300'])
            with open('pids', 'w') as file:
                file.write(f'{os.getpid()} {program.pid}')
            time.sleep(300)
        facts = {
            'environment': dict(os.environ),
            'folder': os.getcwd(),
            'temporary': tempfile.gettempdir(),
            'descriptors': sorted(os.readlink(f'/proc/self/fd/{number}').split(':')[0] for number in (0, 1, 2)),
            'more': [number for number in os.listdir('/proc/self/fd') if number not in '012' and os.path.exists(f'/proc/self/fd/{number}')],
            'limits': [resource.getrlimit(kind) for kind in LIMITS],
            'signals': [str(signal.getsignal(one)) for one in (signal.SIGCHLD, signal.SIGTERM, signal.SIGPIPE)],
            'proxies': self._downloader.proxies,
            'plugins': [one.__name__ for one in type(self).__mro__],
        }
        chance = [random.random(), std_headers['User-Agent']]
        return {
            'id': 'x',
            'title': json.dumps(facts),
            'description': json.dumps([*chance, os.getpgid(0) == os.getpid(), os.getpid()]),
            'formats': [],
        }

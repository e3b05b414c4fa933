"""Runs yt-dlp once to load it, and then each call in a fork.

warm-yt-dlp.py SOCKET PROGRAM URLS ARGUMENT...

PROGRAM is a file, or `-m` for the module yt_dlp. The ARGUMENTs are those of the first run, which must succeed. The extractors of
the URLs (in JSON) are loaded too. Orders are lines of JSON on stdin, whose end ends this process and all calls. Answers go to
descriptor 3. A call's stdout and stderr are connections to SOCKET that begin with the call's ID and `1` or `2`.
"""

import contextlib
import ctypes
import gc
import importlib.util
import json
import math
import os
import random
import re
import resource
import runpy
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback

ORDERS, ANSWERS = 0, 3
PR_SET_PDEATHSIG = 1
# The exit codes of a shell for KILL, and for a program that cannot be started.
KILLED, NOT_STARTED = 137, 126
SOCKET, PROGRAM, URLS, *WARM_UP = sys.argv[1:]
prctl = ctypes.CDLL(None, use_errno=True).prctl


def die_with_parent(how):
    if prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(how), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'prctl')


def answer(message):
    os.write(ANSWERS, json.dumps(message).encode() + b'\n')


def run_program(args):
    """Runs the program as Python does. Returns its exit code."""
    sys.argv = [PROGRAM, *args]
    code = 0
    try:
        if PROGRAM == '-m':
            runpy.run_module('yt_dlp', run_name='__main__', alter_sys=True)
        else:
            runpy.run_path(PROGRAM, run_name='__main__')
    except SystemExit as end:
        code = 0 if end.code is None else end.code
        if not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        code = code or 120
    return code & 0xFF


def package_facts():
    """Identifies the package that will be loaded by the file with its version, as fileFacts of warm-parent.ts does."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        spec = importlib.util.find_spec('yt_dlp')
        if spec is not None and spec.origin is not None:
            path = os.path.join(os.path.dirname(spec.origin), 'version.py')
            facts = os.stat(path)
            return {path: f'{facts.st_ino}-{facts.st_mtime_ns}-{facts.st_size}'}
    return {}


def warm_up():
    """Loads yt-dlp. Returns a function that prepares a fork for its call, and facts about yt-dlp."""
    if sys.path and sys.path[0] == os.path.dirname(os.path.realpath(__file__)):
        # The path on which Python searches modules when it starts the program.
        sys.path[0] = os.path.dirname(os.path.realpath(PROGRAM))
    # Otherwise the cache would drop expressions that calls use.
    re._MAXCACHE = 10_000
    before = package_facts()
    code = run_program(WARM_UP)
    if code != 0:
        sys.exit(f'the first run ended with {code}')
    yt_dlp = sys.modules['yt_dlp']
    extractors = yt_dlp.extractor.gen_extractor_classes()
    for url in json.loads(URLS):
        next(one for one in extractors if one.suitable(url))()
    # Plugins are loaded. In a fork, plugins that override extractors would do it twice.
    if not callable(yt_dlp._load_all_plugins):
        sys.exit('plugins are loaded in an unknown way')
    yt_dlp._load_all_plugins = lambda: None
    lighter = runpy.run_path(os.path.join(os.path.dirname(os.path.realpath(__file__)), 'lighter-yt-dlp.py'))
    spared = lighter['lighten'](sys.modules)
    networking = sys.modules['yt_dlp.utils.networking']
    networking.std_headers['User-Agent'] = networking.random_user_agent()
    if len(os.listdir('/proc/self/task')) != 1:
        sys.exit('threads are left, which a fork would not have')
    gc.collect()
    gc.disable()
    gc.freeze()

    def freshen():
        random.seed()
        # Chosen by chance when the module is loaded.
        networking.std_headers['User-Agent'] = networking.random_user_agent()
        # Computed from the environment.
        tempfile.tempdir = None
        gc.enable()

    version = sys.modules['yt_dlp.version']
    known = {'version': version.__version__, 'files': [version.__file__], 'before': before, 'spared': spared}
    return freshen, known


def limit(kind, most, *, soft=False):
    if most is None:
        return
    hard = resource.getrlimit(kind)[1]
    most = math.ceil(most)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, hard if soft else most))


def become(order, streams, parent, freshen):
    """Prepares a fork like a program that a shell starts."""
    os.setpgid(0, 0)
    die_with_parent(signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(KILLED)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, stream in enumerate(streams, 1):
        os.dup2(stream.fileno(), number)
    for number in map(int, os.listdir('/proc/self/fd')):
        if number > 2:
            # One of them was the descriptor of the list.
            with contextlib.suppress(OSError):
                os.close(number)
    # Not RLIMIT_AS, because a JavaScript runtime reserves terabytes of addresses.
    limit(resource.RLIMIT_FSIZE, order.get('maxFileBytes'))
    limit(resource.RLIMIT_DATA, order.get('maxMemoryBytes'))
    limit(resource.RLIMIT_CORE, 0)
    # At a hard limit the system sends KILL, which does not show the reason.
    limit(resource.RLIMIT_CPU, order.get('maxCpuSeconds'), soft=True)
    os.nice(order.get('nice') or 0)
    os.environ.clear()
    os.environ.update(order['env'])
    os.chdir(order['cwd'])
    freshen()


class Calls:
    def __init__(self, freshen):
        self.freshen = freshen
        self.ids = {}

    def take(self, order):
        streams = []
        try:
            for number in ('1', '2'):
                streams.append(socket.socket(socket.AF_UNIX))
                streams[-1].connect(SOCKET)
                streams[-1].sendall((order['id'] + number).encode())
            parent = os.getpid()
            pid = os.fork()
        except OSError:
            # The system is short of memory or processes, so a retry may succeed.
            answer({'id': order['id'], 'code': KILLED})
        else:
            if pid == 0:
                code = NOT_STARTED
                try:
                    become(order, streams, parent, self.freshen)
                    code = run_program(order['args'])
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(code)
            # The worker may signal the group as soon as it knows its ID. The fork also calls setpgid, and the second call fails.
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)
            self.ids[pid] = order['id']
            answer({'id': order['id'], 'pid': pid})
        finally:
            for stream in streams:
                stream.close()

    def end(self, pid):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)

    def reap(self):
        # Until the process is reaped, no other process gets the ID of its group.
        while self.ids and (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
            self.end(ended.si_pid)
            code = os.waitstatus_to_exitcode(os.waitpid(ended.si_pid, 0)[1])
            answer({'id': self.ids.pop(ended.si_pid), 'code': code if code >= 0 else 128 - code})

    def serve(self):
        wakes, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        rest = b''
        while True:
            ready = select.select([ORDERS, wakes], [], [])[0]
            if wakes in ready:
                os.read(wakes, 4096)
                self.reap()
            if ORDERS in ready:
                data = os.read(ORDERS, 65536)
                if not data:
                    return
                *lines, rest = (rest + data).split(b'\n')
                for line in lines:
                    self.take(json.loads(line))


# Before orders are read, the end of stdin is not noticed.
die_with_parent(signal.SIGKILL)
freshen, known = warm_up()
die_with_parent(0)
calls = Calls(freshen)
answer(known)
try:
    calls.serve()
except BaseException:
    traceback.print_exc()
finally:
    for one in calls.ids:
        calls.end(one)
    # The worker that made the folder may have been killed.
    shutil.rmtree(os.path.dirname(SOCKET), ignore_errors=True)
    os._exit(0)

"""Saves the forks of a warm yt-dlp work with equal results: half of their processor time.

A release with another structure is not changed.
"""

import os
import re


def lighten(modules):
    """Must be called after the first run. Returns the names of the saved work."""
    spared = []
    for part in (draw_no_tables, keep_extractors, keep_certificates, keep_parser, compile_expressions):
        try:
            part(modules)
        except (AttributeError, KeyError, TypeError):
            continue
        spared.append(part.__name__)
    return spared


def draw_no_tables(modules):
    """yt-dlp draws four tables at each print event, although no template names them."""
    downloader = modules['yt_dlp.YoutubeDL'].YoutubeDL
    printing = downloader._forceprint
    tables = [name for name in vars(downloader) if name.startswith('render_') and name.endswith('_table')]

    def without_tables(self, key, info_dict):
        templates = self.params['forceprint'].get(key, []) + [one for one, _ in self.params['print_to_file'].get(key, [])]
        # `%()j` prints all fields.
        if any('_table' in template or '%()' in template for template in templates):
            return printing(self, key, info_dict)
        vars(self).update(dict.fromkeys(tables, lambda *_: None))
        try:
            return printing(self, key, info_dict)
        finally:
            for name in tables:
                delattr(self, name)

    downloader._forceprint = without_tables


def keep_extractors(modules):
    """yt-dlp searches for each of 1,800 extractors in a list of all."""
    downloader = modules['yt_dlp.YoutubeDL'].YoutubeDL
    adding = downloader.add_default_info_extractors
    chosen = ['default']
    found = downloader.__new__(downloader)
    vars(found).update(params={'allowed_extractors': chosen}, _ies={}, _ies_instances={})
    adding(found)
    total = len(found._ies)
    created = [type(one) for one in found._ies.values() if not isinstance(one, type)]
    given = []

    def add_kept(self):
        if given or self._ies or self.params.get('allowed_extractors', chosen) != chosen:
            return adding(self)
        # A copy would touch each class, and so the pages of memory that a fork shares with its parent.
        self._ies = found._ies
        given.append(self)
        for extractor in created:
            self.add_info_extractor(extractor())
        self.write_debug(f'Loaded {total} extractors')

    downloader.add_default_info_extractors = add_kept


def keep_certificates(modules):
    """Loading all authorities takes as long as a page. A caller may change its context, so the context is used once."""
    common = modules['yt_dlp.networking.common']
    making = common.make_ssl_context
    usual = {'verify': True, 'legacy_support': False, 'use_certifi': True}
    kept = making(**usual)
    given = []

    def make_kept(**options):
        if given or options != usual or 'SSLKEYLOGFILE' in os.environ:
            return making(**options)
        # The reference avoids the time to free the context.
        given.append(kept)
        return kept

    common.make_ssl_context = make_kept


def keep_parser(modules):
    """yt-dlp defines 330 options in each run. A parser keeps what it has read, so it is used once."""
    options = modules['yt_dlp.options']
    creating = options.create_parser
    kept = [creating()]
    options.create_parser = lambda: kept.pop() if kept else creating()


def compile_expressions(modules):
    """The page of the first run has no date, and few formats to sort."""
    utils = modules['yt_dlp.utils']
    utils.date_from_str('20200101')
    for setting in utils.FormatSorter.settings.values():
        for expression in filter(None, setting['order'] if setting.get('regex') else ()):
            re.compile(expression)

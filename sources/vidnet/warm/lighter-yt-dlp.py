"""Spares the forks of a warm yt-dlp what comes out the same in each: half of their processor time.

A release that has it in another form than we know is left as it is.
"""

import os


def lighten(modules):
    """Call it after the first run. Returns what is spared from then on."""
    spared = []
    for part in (draw_no_tables, keep_extractors, keep_certificates):
        try:
            part(modules)
        except (AttributeError, KeyError, TypeError):
            continue
        spared.append(part.__name__)
    return spared


def draw_no_tables(modules):
    """At each moment at which something may be printed it draws four tables, though no template names them."""
    downloader = modules['yt_dlp.YoutubeDL'].YoutubeDL
    printing = downloader._forceprint
    tables = [name for name in vars(downloader) if name.startswith('render_') and name.endswith('_table')]

    def without_tables(self, key, info_dict):
        templates = self.params['forceprint'].get(key, []) + [one for one, _ in self.params['print_to_file'].get(key, [])]
        # `%()j` is all that there is.
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
    """It looks each of 1,800 extractors up in a list of them all."""
    downloader = modules['yt_dlp.YoutubeDL'].YoutubeDL
    adding = downloader.add_default_info_extractors
    chosen = ['default']
    found = downloader.__new__(downloader)
    vars(found).update(params={'allowed_extractors': chosen}, _ies={}, _ies_instances={})
    adding(found)
    kept = list(found._ies.values())
    classes = {key: one for key, one in found._ies.items() if isinstance(one, type)}

    def add_kept(self):
        if self._ies or self.params.get('allowed_extractors', chosen) != chosen:
            return adding(self)
        # In the same order: the first that takes an address reads it.
        self._ies.update(dict.fromkeys(found._ies))
        self._ies.update(classes)
        for one in kept:
            if not isinstance(one, type):
                self.add_info_extractor(type(one)())
        self.write_debug(f'Loaded {len(kept)} extractors')

    downloader.add_default_info_extractors = add_kept


def keep_certificates(modules):
    """Reading all authorities takes as long as a page. A caller may change its context, so each context is handed out once."""
    common = modules['yt_dlp.networking.common']
    making = common.make_ssl_context
    usual = {'verify': True, 'legacy_support': False, 'use_certifi': True}
    kept = making(**usual)
    given = []

    def make_kept(**options):
        if given or options != usual or 'SSLKEYLOGFILE' in os.environ:
            return making(**options)
        # And it stays, since freeing it takes a while too.
        given.append(kept)
        return kept

    common.make_ssl_context = make_kept

"""Prints what mutagen reads of a file, as JSON: title, artist, album, date and source, types of covers, titles and starts of chapters."""

import base64
import json
import sys

import mutagen
from mutagen.flac import Picture
from mutagen.mp4 import MP4Cover

file = mutagen.File(sys.argv[1])
tags = file.tags
kind = type(file).__name__
names = {
    'MP4': ['\xa9nam', '\xa9ART', '\xa9alb', '\xa9day', '\xa9cmt'],
    'MP3': ['TIT2', 'TPE1', 'TALB', 'TDRC', 'TXXX:comment'],
}
texts = [str(tags[name][0]) for name in names.get(kind, ['title', 'artist', 'album', 'date', 'description'])]
if kind == 'MP4':
    covers = ['image/jpeg' if one.imageformat == MP4Cover.FORMAT_JPEG else 'other' for one in tags['covr']]
    chapters = [[one.title, one.start] for one in file.chapters or []]
elif kind == 'MP3':
    covers = [one.mime for one in tags.getall('APIC')]
    chapters = [[one.sub_frames['TIT2'].text[0], one.start_time / 1000] for one in tags.getall('CHAP')]
else:
    pictures = [Picture(base64.b64decode(one)) for one in tags.get('metadata_block_picture', [])]
    covers = [one.mime for one in pictures or file.pictures]
    chapters = []
    for number in range(sum(name.lower().endswith('name') for name, _ in tags)):
        key = f'chapter{number:03}'
        hours, minutes, seconds = tags[key][0].split(':')
        chapters.append([tags[f'{key}name'][0], int(hours) * 3600 + int(minutes) * 60 + float(seconds)])
print(json.dumps({'texts': texts, 'covers': covers, 'chapters': chapters}))

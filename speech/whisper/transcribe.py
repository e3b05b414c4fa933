"""Keeps a Whisper model loaded, and transcribes one window of audio after another.

transcribe.py MODEL_FOLDER DEVICE THREADS

Orders are lines of JSON on stdin, whose end ends this process at once. Answers are lines of JSON on descriptor 3: first the
device, with what is wrong if the model cannot be loaded, and then the words of each segment. The last answer to an order has
`ended`.
"""

import ctypes
import json
import os
import queue
import resource
import sys
import threading
import types

RATE = 16_000
# In longer silence Whisper hallucinates, so longer pauses are shortened to a margin on both sides, in which there may be soft
# sounds that the detectors of speech cut off.
PAUSE_SECONDS = 2
MARGIN_SECONDS = 0.5
# Whisper decodes again at higher temperatures beyond these limits. Text that is beyond them even then is considered no speech.
TEMPERATURES = (0.0, 0.4, 0.8)
MOST_COMPRESSION, LEAST_LOG_PROBABILITY, MOST_NO_SPEECH = 2.4, -1.0, 0.6

MODEL_FOLDER, DEVICE, THREADS = sys.argv[1:]
answers = os.fdopen(3, 'w', encoding='utf-8')
orders = queue.SimpleQueue()


def answer(message):
    answers.write(json.dumps(message) + '\n')
    answers.flush()


def read_orders():
    for line in sys.stdin:
        orders.put(json.loads(line))
    # The worker has ended or no longer wants the result. The model may be in the middle of a window.
    os._exit(0)


def refuse_network(event, _args):
    if event.startswith('socket.'):
        raise PermissionError('speech recognition needs no network')


def chosen_device():
    """CUDA needs libraries that its devices do not bring."""
    if DEVICE != 'auto':
        return DEVICE
    try:
        if ctranslate2.get_cuda_device_count() > 0:
            for library in ('libcublas.so.12', 'libcudnn.so.9'):
                ctypes.CDLL(library)
            return 'cuda'
    except OSError as error:
        print(f'CUDA is not used: {error}', file=sys.stderr)
    return 'cpu'


def load(device):
    compute_type = 'float16' if device == 'cuda' else 'int8'
    model = WhisperModel(MODEL_FOLDER, device=device, compute_type=compute_type, cpu_threads=int(THREADS))
    # CUDA loads its libraries at the first use.
    model.encode(numpy.zeros((model.feature_extractor.mel_filters.shape[0], 3000), numpy.float32))
    return model


def parts_of(speech, start, end):
    """Joins regions between which there is hardly a pause, with a margin around each part."""
    parts = []
    for first, last in speech:
        if parts and first - parts[-1][1] < PAUSE_SECONDS:
            parts[-1][1] = max(parts[-1][1], last)
        else:
            parts.append([first, last])
    return [(max(start, first - MARGIN_SECONDS), min(end, last + MARGIN_SECONDS)) for first, last in parts]


def samples_of(path, offset_bytes, length_bytes, parts):
    with open(path, 'rb') as file:
        for first, last in parts:
            begin, end = (min(length_bytes, round(at * RATE) * 2) for at in (first, last))
            file.seek(offset_bytes + begin)
            yield numpy.frombuffer(file.read(end - begin), '<i2').astype(numpy.float32) / 32_768


def words_of(segment, restore):
    for word in segment.words or []:
        first, last = restore(word.start, word.end)
        yield {'text': word.word, 'startSeconds': first, 'endSeconds': last, 'confidence': word.probability}


def restorer(parts):
    """Maps times of the joined parts to those of the whole audio."""
    def restore(start, end):
        before = 0
        for first, last in parts:
            if (start + end) / 2 <= before + last - first or (first, last) == parts[-1]:
                return tuple(min(last, max(first, first + at - before)) for at in (start, end))
            before += last - first
    return restore


def resident_bytes():
    try:
        with open('/proc/self/statm') as facts:
            return int(facts.read().split()[1]) * resource.getpagesize()
    except FileNotFoundError:
        # macOS reports the peak, in bytes.
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def transcribe(model, order):
    parts = parts_of(order['speech'], order['startSeconds'], order['endSeconds'])
    audio = numpy.concatenate(list(samples_of(order['path'], order['offsetBytes'], order['lengthBytes'], parts)))
    # Sampling at higher temperatures must give the same words each time.
    ctranslate2.set_random_seed(1)
    segments, info = model.transcribe(
        audio,
        language=order.get('language'),
        language_detection_segments=4,
        beam_size=5,
        temperature=TEMPERATURES,
        condition_on_previous_text=False,
        word_timestamps=True,
        compression_ratio_threshold=MOST_COMPRESSION,
        log_prob_threshold=LEAST_LOG_PROBABILITY,
        no_speech_threshold=MOST_NO_SPEECH,
        hallucination_silence_threshold=PAUSE_SECONDS,
    )
    restore = restorer(parts)
    for segment in segments:
        is_speech = segment.compression_ratio <= MOST_COMPRESSION and segment.avg_logprob >= LEAST_LOG_PROBABILITY
        answer({'words': list(words_of(segment, restore)) if is_speech else [], 'share': min(1, segment.end / info.duration)})
    ended = {'language': info.language, 'languageProbability': info.language_probability, 'residentBytes': resident_bytes()}
    answer({'words': [], 'share': 1, 'ended': ended})


threading.Thread(target=read_orders, daemon=True).start()
sys.addaudithook(refuse_network)
# Only functions that decode files and download models use these packages, so they are not installed.
for absent in ('av', 'huggingface_hub'):
    sys.modules[absent] = types.ModuleType(absent)
import ctranslate2
import numpy
from faster_whisper import WhisperModel

device = chosen_device()
try:
    model = load(device)
except Exception as error:
    answer({'device': device, 'unloadable': str(error)})
    sys.exit(str(error))
answer({'device': device, 'residentBytes': resident_bytes()})
while True:
    transcribe(model, orders.get())

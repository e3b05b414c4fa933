"""Speaks a dialogue with eSpeak NG.

synthesise.py LINES WAV    LINES: a text file with a line "VOICE TEXT" for each line that is spoken, VOICE a or b
  prints for each line one of JSON with its times and its text
"""

import array
import ctypes
import json
import sys
import wave

import espeakng_loader

VOICES = {"a": b"en", "b": b"en-us+f3"}
WORDS_PER_MINUTE, PAUSE_SECONDS = 135, 0.8
# Constants of speak_lib.h.
SYNCHRONOUS, CHARS_UTF8, POSITION_CHARACTER, RATE = 2, 1, 1, 1

samples = array.array("h")


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
def keep(wav, count, _events):
    if wav and count > 0:
        samples.extend(wav[:count])
    return 0


def checked(result, what):
    if result != 0:
        raise RuntimeError(f"eSpeak NG: {what} failed with {result}")


def main(lines_path, wav_path):
    espeak = ctypes.CDLL(espeakng_loader.get_library_path())
    rate = espeak.espeak_Initialize(SYNCHRONOUS, 0, espeakng_loader.get_data_path().encode(), 0)
    if rate <= 0:
        raise RuntimeError("eSpeak NG cannot be initialised")
    espeak.espeak_SetSynthCallback(keep)
    with open(lines_path, encoding="utf-8") as lines:
        for line in lines:
            voice, text = line.strip().split(" ", 1)
            start = len(samples)
            checked(espeak.espeak_SetVoiceByName(VOICES[voice]), f"voice {voice}")
            checked(espeak.espeak_SetParameter(RATE, WORDS_PER_MINUTE, 0), "the rate")
            spoken = text.encode()
            checked(espeak.espeak_Synth(spoken, len(spoken) + 1, 0, POSITION_CHARACTER, 0, CHARS_UTF8, None, None), text)
            checked(espeak.espeak_Synchronize(), text)
            times = {"startSeconds": start / rate, "endSeconds": len(samples) / rate}
            print(json.dumps({**times, "speaker": voice, "text": text}))
            samples.extend([0] * int(PAUSE_SECONDS * rate))
    with wave.open(wav_path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])

"""build.py FOLDER: models with the inputs, outputs and metadata of the real ones, and weights that mean nothing.

docs/reliability.md says what the tests with them do not prove.
"""

import os
import sys

import parakeet
import voices

folder = sys.argv[1]
inside = lambda name: os.path.join(folder, name)  # noqa: E731
parakeet.build(inside("tiny-parakeet"))
voices.build_segmentation(inside("tiny-segmentation"))
voices.build_embedding(inside("tiny-embedding"))

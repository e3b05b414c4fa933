// With every row of its tables.
import './yt-dlp-transcript.test.ts';

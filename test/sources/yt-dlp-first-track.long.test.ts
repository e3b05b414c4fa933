// With every row of its tables.
import './yt-dlp-first-track.test.ts';

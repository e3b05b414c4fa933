// With every row of its tables.
import './yt-dlp-download.test.ts';

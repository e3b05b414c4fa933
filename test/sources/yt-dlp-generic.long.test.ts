// With every row of its tables.
import './yt-dlp-generic.test.ts';

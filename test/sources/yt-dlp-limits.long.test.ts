// With every row of its tables.
import './yt-dlp-limits.test.ts';

// With every row of its tables.
import './yt-dlp-guard.test.ts';

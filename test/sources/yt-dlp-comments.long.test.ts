// With every row of its tables.
import './yt-dlp-comments.test.ts';

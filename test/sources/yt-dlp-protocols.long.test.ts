// With every row of its tables.
import './yt-dlp-protocols.test.ts';

// With every row of its tables.
import './warm-yt-dlp.test.ts';

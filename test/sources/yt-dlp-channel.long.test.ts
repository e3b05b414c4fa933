// With every row of its tables.
import './yt-dlp-channel.test.ts';

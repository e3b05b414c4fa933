// Every way through the console once more, with an API key.
import './console.test.ts';

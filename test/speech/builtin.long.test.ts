// Also transcribes a whole recording.
import './builtin.test.ts';

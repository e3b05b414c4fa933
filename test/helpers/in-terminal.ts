/** Runs a command in a terminal of its own, hands on what both sides write, and ends as it does. */
const IN_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
/** What Ctrl-C is to a terminal. */
export const CTRL_C = '\u0003';

/** @returns the program and arguments that run a command as if somebody had typed it. @param python of this machine */
export function inTerminal(python: string, ...command: string[]): [program: string, args: string[]] {
  return [python, ['-c', IN_TERMINAL, ...command]];
}

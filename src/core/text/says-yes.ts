import type { Terminal } from '../ports.js';

/** Asks a question of yes or no; whatever is no yes is a no. @throws the signal's reason */
export async function saysYes(terminal: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  const typed = await terminal.ask(`${question} [y/N] `, { hidden: false, signal });
  return /^\s*y(es)?\s*$/i.test(typed ?? '');
}

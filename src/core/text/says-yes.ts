import type { Terminal } from '../ports.js';

/** Number of times to ask when Enter means yes: another word may be a typo. */
const maxAsked = 3;

/**
 * Asks a yes-or-no question. End of input means no, and so does any other word if Enter means no.
 * @param byDefault What Enter means; the question shows it.
 * @throws the signal's reason
 */
export async function saysYes(
  terminal: Terminal,
  question: string,
  signal: AbortSignal,
  byDefault: 'yes' | 'no' = 'no',
): Promise<boolean> {
  const choices = byDefault === 'yes' ? '[Y/n]' : '[y/N]';
  for (let asked = 1; ; asked += 1) {
    const typed = await terminal.ask(`${question} ${choices} `, { hidden: false, signal });
    const word = typed?.trim().toLowerCase();
    if (word === 'y' || word === 'yes') return true;
    if (word === '') return byDefault === 'yes';
    if (byDefault === 'no' || word === undefined || word === 'n' || word === 'no' || asked === maxAsked) return false;
    terminal.tell('Type y or n.');
  }
}

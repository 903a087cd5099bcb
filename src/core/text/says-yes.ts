import type { Terminal } from '../ports.js';

/** Times that a question is asked where Enter is a yes: another word may be a slip. */
const maxAsked = 3;

/**
 * Asks a question of yes or no. The end of input is a no, and so is another word, at once where Enter is a no.
 * @param byDefault What Enter alone means; the question shows it.
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

import type { Terminal } from '../ports.js';

/**
 * Asks a question of yes or no. What is neither, and the end of input, is a no.
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
  const typed = await terminal.ask(`${question} ${choices} `, { hidden: false, signal });
  if (byDefault === 'yes' && typed?.trim() === '') return true;
  return /^\s*y(es)?\s*$/i.test(typed ?? '');
}

import type { AuthorizationAnswer, CallbackListener, Ports } from '../ports.js';
import { type PastedProblem, readPastedAnswer } from '../protocol/oauth/pasted-answer.js';

/** What is wrong with the paste; nothing of it is ever shown. */
const explanations: Readonly<Record<PastedProblem, string>> = {
  empty: 'Nothing was pasted.',
  not_a_url: 'That is not an address. A code alone does not do: paste the whole address, from http:// on.',
  other_address: 'That is another page’s address.',
  no_state: 'That address is not whole: its state is missing.',
  other_state: 'That address belongs to another login, an earlier one perhaps.',
  unreadable: 'That address cannot be read: something was added to it, or is missing.',
};

/**
 * Asks at the terminal for the redirect URL, hidden and as often as it takes, until it is the answer to this login.
 * Undefined at end of input: then nobody will paste, and the browser may still come by itself.
 * @throws the signal's reason
 */
export async function takePastedAnswer(
  terminal: Ports['terminal'],
  request: {
    readonly listener: CallbackListener;
    readonly signal: AbortSignal;
  },
): Promise<AuthorizationAnswer | undefined> {
  const { listener } = request;
  const { redirectUri } = listener;
  const isOurState = (state: string): boolean => listener.isOurs(state);
  for (;;) {
    const text = await terminal.ask('Address (it stays hidden): ', { hidden: true, signal: request.signal });
    request.signal.throwIfAborted();
    if (text === undefined) return undefined;
    const pasted = readPastedAnswer(text, { redirectUri, isOurState });
    if (pasted.ok) return pasted.answer;
    terminal.tell(`${explanations[pasted.problem]} The right one begins with ${redirectUri}?`);
  }
}

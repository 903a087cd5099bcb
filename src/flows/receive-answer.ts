import { loginTimedOut } from '../errors/callback.js';
import type { AuthorizationAnswer, CallbackListener, Ports } from '../ports.js';
import { printable } from '../primitives/printable.js';
import type { Seat } from '../primitives/seat.js';
import type { Secret } from '../primitives/secret.js';
import { seatHint } from './seat-hint.js';
import { takePastedAnswer } from './take-pasted-answer.js';

export interface AnswerRequest {
  readonly listener: CallbackListener;
  readonly state: Secret;
  /** The whole authorization request, as it may be shown and opened. */
  readonly authorizationUrl: string;
  readonly mode: 'browser' | 'no-browser';
  /** Where the person sits: what is said when no browser opens. */
  readonly seat: Seat;
  /** Another way to the same login, begun where no browser was opened: its lines stand beside the address. */
  readonly beside: (signal: AbortSignal) => Promise<readonly string[]>;
  /** What to do where the page shows an error: it sends no answer then. */
  readonly whenPageFails: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How long a page is left alone with the person before they hear what to do when it shows an error. Milliseconds. */
const hintAfterMs = 15_000;

/** Longest authorization URL that is shown: those that are longer are not made. */
const longestShown = 8192;

/**
 * Takes the person to the authorization server and waits for the authorization response that carries our state
 * (RFC 8252 section 7.3): from the callback listener or, where no browser can be opened, from the terminal, whichever
 * is first. The browser gets our one-time link only; the authorization request itself is shown to the person alone.
 * @throws Failure `login_timed_out`, `callback_unusable`, `link_taken_twice`, or the signal's reason
 */
export async function receiveAnswer(
  ports: Pick<Ports, 'terminal' | 'browser' | 'clock'>,
  request: AnswerRequest,
): Promise<AuthorizationAnswer> {
  const { listener, state, authorizationUrl } = request;
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  const link = listener.arm({ state, authorizationUrl });
  try {
    return await Promise.race([
      listener.answer(signal),
      timeUp(ports.clock, { ...request, signal }),
      askPerson(ports, { ...request, signal }, link),
    ]);
  } finally {
    over.abort();
  }
}

async function timeUp(
  clock: Ports['clock'],
  {
    timeoutMs,
    whenPageFails,
    mode,
    signal,
  }: Pick<AnswerRequest, 'timeoutMs' | 'whenPageFails' | 'mode' | 'signal'>,
): Promise<never> {
  await clock.sleep(timeoutMs, signal);
  throw loginTimedOut(timeoutMs, whenPageFails, mode === 'browser');
}

/** Gets the login page before the person; resolves only if the answer is pasted at the terminal. */
async function askPerson(
  ports: Pick<Ports, 'terminal' | 'browser' | 'clock'>,
  request: AnswerRequest,
  link: string,
): Promise<AuthorizationAnswer> {
  const { terminal, browser } = ports;
  if (request.mode === 'browser' && (await browser.open(link)) === 'opened') {
    await ports.clock.sleep(hintAfterMs, request.signal);
    terminal.tell(`No answer yet. ${request.whenPageFails}`);
    return leaveToTheOthers();
  }
  if (request.signal.aborted) return leaveToTheOthers();
  if (request.mode === 'browser') terminal.tell('No browser could be opened here.');
  showAddress(terminal, request);
  // The address does not wait for the code: whoever is quick has it at once.
  const beside = await request.beside(request.signal);
  if (beside.length > 0) [...beside, ''].forEach(terminal.tell);
  // At once: later it would stand in the middle of the question below.
  terminal.tell(request.whenPageFails);
  if (!terminal.interactive) return leaveToTheOthers();
  terminal.tell(
    'If the browser ends on a page that does not load, copy that page’s whole address and paste it here,',
  );
  terminal.tell('and nowhere else: whoever has it can use your login.');
  return (await takePastedAnswer(terminal, request)) ?? leaveToTheOthers();
}

function showAddress(terminal: Ports['terminal'], request: AnswerRequest): void {
  const { port } = new URL(request.listener.redirectUri);
  const hint = seatHint(request.seat, { port, asked: request.mode === 'browser' });
  const lines = [
    'Open this address in a browser:',
    '',
    printable(request.authorizationUrl, longestShown),
    '',
    ...hint,
    ...(hint.length === 0 || hint.at(-1) === '' ? [] : ['']),
  ];
  for (const line of lines) terminal.tell(line);
}

/** A contestant of the race that never wins it. */
function leaveToTheOthers(): Promise<never> {
  return new Promise(() => {});
}

import type { Clock, CorePorts, Terminal } from '../../core/ports.js';
import { printable } from '../../core/text/printable.js';
import {
  type AuthorizationResponse,
  type PastedProblem,
  readPastedResponse,
} from '../../oauth/authorization-response.js';
import type { BrowserAvailability, BrowserPorts, CallbackListener, LoginConsent, RequestToOpen } from '../ports.js';
import { browserHint } from './browser-availability.js';
import { loginTimedOut } from './failures.js';

export interface ReceiveRequest {
  readonly listener: CallbackListener;
  /** Makes an authorization request, with a state of its own: each browser that comes gets another. */
  readonly newRequest: () => Promise<RequestToOpen | undefined>;
  /** Asked of the person on a page of ours before the login page. */
  readonly consent?: LoginConsent | undefined;
  readonly mode: 'browser' | 'no-browser';
  /** Where the person sits: what is said when no browser opens. */
  readonly availability: BrowserAvailability;
  /** Another way to the same login, begun where no browser was opened: its lines are shown with the address. */
  readonly fallback: (signal: AbortSignal) => Promise<readonly string[]>;
  /** What to do where the page shows an error: it sends no answer then. */
  readonly whenPageFails: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** How long a page is left alone with the person before they hear what to do when it shows an error. Milliseconds. */
const hintAfterMs = 15_000;

/** Longest authorization URL that is shown: those that are longer are not made. */
const longestShown = 8192;

/** An opener that cannot open anything mostly says so at once; the address waits no longer than this. */
const openerMs = 250;

/** Enter, however often it is pressed, opens a tab no sooner than this after the last. */
const tabEveryMs = 1_000;

type ReceivePorts = Pick<CorePorts, 'terminal' | 'clock' | 'progress'> & Pick<BrowserPorts, 'browser'>;

/**
 * Takes the person to the authorization server and waits for the authorization response that carries a state of ours
 * (RFC 8252 section 7.3): from the callback listener or, where no browser can be opened, from the terminal, whichever
 * is first. The opener gets a one-time link of ours and nothing else. Beside it the terminal shows another one; where
 * no browser was opened it shows the authorization request itself, which works from any computer.
 * @throws Failure `login_timed_out`, `callback_unusable`, `link_taken_twice`, or the signal's reason
 */
export async function receiveResponse(ports: ReceivePorts, request: ReceiveRequest): Promise<AuthorizationResponse> {
  const { listener, newRequest, consent } = request;
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  listener.arm({ newRequest, consent });
  const contest = { ...request, signal };
  try {
    return await Promise.race([listener.response(signal), timeUp(ports.clock, contest), askPerson(ports, contest)]);
  } finally {
    over.abort();
  }
}

async function timeUp(
  clock: Clock,
  { timeoutMs, whenPageFails, mode, signal }: Pick<ReceiveRequest, 'timeoutMs' | 'whenPageFails' | 'mode' | 'signal'>,
): Promise<never> {
  await clock.sleep(timeoutMs, signal);
  throw loginTimedOut(timeoutMs, whenPageFails, mode === 'browser');
}

/** Gets the login page before the person; resolves only if the answer is pasted at the terminal. */
async function askPerson(ports: ReceivePorts, request: ReceiveRequest): Promise<AuthorizationResponse> {
  const { terminal } = ports;
  if (request.mode === 'browser' && (await openBrowser(ports, request)) === 'opened') {
    return watchBrowser(ports, request);
  }
  if (request.signal.aborted) return leaveToTheOthers();
  if (request.mode === 'browser') terminal.tell('No browser could be opened here.');
  const url = await request.listener.address();
  if (url === undefined) return leaveToTheOthers();
  showAddress(terminal, request, url);
  // The address does not wait for the code: whoever is quick has it at once.
  const fallback = await request.fallback(request.signal);
  if (fallback.length > 0) [...fallback, ''].forEach(terminal.tell);
  // At once: later it would stand in the middle of the question below.
  terminal.tell(request.whenPageFails);
  if (!terminal.interactive) return leaveToTheOthers();
  terminal.tell('If the browser ends on a page that does not load, copy that page’s whole address and paste it here,');
  terminal.tell('and nowhere else: whoever has it can use your login.');
  return (await takePastedResponse(terminal, request)) ?? leaveToTheOthers();
}

/** The address is shown unless the opener fails at once: one that hangs, or opens nothing, does not tell. */
async function openBrowser(
  { terminal, browser, clock }: ReceivePorts,
  request: ReceiveRequest,
): Promise<'opened' | 'unavailable'> {
  const opening = browser.open(request.listener.link('opener'));
  const soon = new AbortController();
  const signal = AbortSignal.any([request.signal, soon.signal]);
  const late = clock.sleep(openerMs, signal).then(() => undefined);
  const result = await Promise.race([opening, late]).finally(() => {
    late.catch(() => undefined);
    soon.abort();
  });
  if (result === 'unavailable') return result;
  showLink(terminal, request);
  return opening;
}

/** Tells the time that is left, a hint after a while, and opens and shows the address again for Enter. */
async function watchBrowser(ports: ReceivePorts, request: ReceiveRequest): Promise<never> {
  const { terminal, clock, browser, progress } = ports;
  const { signal, timeoutMs, listener } = request;
  const end = clock.monotonic() + timeoutMs;
  let latest = clock.monotonic();
  using _keys = terminal.interactive
    ? terminal.listen(() => {
        if (signal.aborted || clock.monotonic() - latest < tabEveryMs) return;
        latest = clock.monotonic();
        // Whoever took the opener's link before the person's browser would take the next one, too.
        if (!listener.doubtful) void browser.open(listener.link('opener'));
        showLink(terminal, request);
      })
    : undefined;
  const hint = clock.sleep(Math.min(hintAfterMs, timeoutMs), signal).then(() => {
    terminal.tell(`No answer yet. ${request.whenPageFails}`);
  });
  hint.catch(() => undefined);
  for (;;) {
    const left = end - clock.monotonic();
    const enter = terminal.interactive ? '; Enter opens the page again' : '';
    progress.begin(`Waiting for the browser (${timeLeft(left)} left${enter})`);
    await clock.sleep(left > 120_000 ? left % 60_000 || 60_000 : 10_000, signal);
  }
}

function timeLeft(ms: number): string {
  return ms > 120_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.max(0, Math.ceil(ms / 10_000) * 10)} s`;
}

/** An address beside the opened browser. On this machine our own is shorter, and sends the answer back the same way. */
function showLink(terminal: Terminal, request: ReceiveRequest): void {
  const { listener, availability, consent } = request;
  // Where a page of ours comes first, the address beside it leads there, too.
  const isHere = consent !== undefined || !['ssh', 'container'].includes(availability);
  const show = (url: string | undefined): void => {
    if (request.signal.aborted || url === undefined) return;
    terminal.event({ event: 'login_page', url, redirectUri: listener.redirectUri });
    terminal.tell(`If no page opens in the browser${isHere ? '' : ' here'}, open this address in one:`);
    terminal.tell(printable(url, longestShown));
  };
  if (isHere) show(listener.link('terminal'));
  // Where there is none to be had, that is told already.
  else listener.address().then(show, () => undefined);
}

function showAddress(terminal: Terminal, request: ReceiveRequest, url: string): void {
  const { port } = new URL(request.listener.redirectUri);
  const hint = browserHint(request.availability, { port, asked: request.mode === 'browser' });
  terminal.event({ event: 'login_page', url, redirectUri: request.listener.redirectUri });
  const lines = [
    'Open this address in a browser:',
    '',
    printable(url, longestShown),
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
export async function takePastedResponse(
  terminal: Terminal,
  request: {
    readonly listener: CallbackListener;
    readonly signal: AbortSignal;
  },
): Promise<AuthorizationResponse | undefined> {
  const { listener } = request;
  const { redirectUri } = listener;
  const isOurState = (state: string): boolean => listener.isOurs(state);
  for (;;) {
    const text = await terminal.ask('Address (it stays hidden): ', { hidden: true, signal: request.signal });
    request.signal.throwIfAborted();
    if (text === undefined) return undefined;
    const pasted = readPastedResponse(text, { redirectUri, isOurState });
    if (pasted.ok) return pasted.response;
    terminal.tell(`${explanations[pasted.problem]} The right one begins with ${redirectUri}?`);
  }
}

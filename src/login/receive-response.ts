import type { Terminal } from '../core/ports.js';
import type { BrowserChoice } from '../core/records.js';
import { printable } from '../core/text/printable.js';
import { type AuthorizationResponse, type PastedProblem, readPastedResponse } from '../oauth/authorization-response.js';
import { browserHint } from './browser/browser-availability.js';
import type { CallbackListener } from './browser/callback-listener.js';
import { loginTimedOut } from './browser/failures.js';
import type { OpenerWatch } from './browser/open-browser.js';
import type { LoginConsent } from './browser/page.js';
import type { LoginPorts, PersonOptions } from './ports.js';

interface ReceiveRequest extends Pick<PersonOptions, 'mode' | 'availability' | 'timeoutMs'> {
  readonly listener: CallbackListener;
  readonly browser?: BrowserChoice | undefined;
  /** Asked of the person on a page of ours before the login page. */
  readonly consent?: LoginConsent | undefined;
  /** The command that logs in with a code instead, if the authorization server has codes. */
  readonly byCode?: string | undefined;
  /** What to do where the page shows an error; said once. */
  readonly pageAdvice: string;
  readonly signal: AbortSignal;
}

/** Until the person hears what to do when the page shows an error, in milliseconds. */
const hintAfterMs = 60_000;

const maxShown = 8192;

/** Enter, however often it is pressed, opens no more tabs, in milliseconds. */
const tabEveryMs = 1_000;

type ReceivePorts = Pick<LoginPorts, 'terminal' | 'clock' | 'progress' | 'browser'>;

/**
 * Takes the person to the authorization server and waits for the authorization response that carries a state of ours
 * (RFC 8252 section 7.3): from the callback listener or, where no browser can be opened, from the terminal, whichever
 * is first. The opener gets a one-time link of ours and nothing else, and the terminal shows another one; where no browser
 * was opened it shows the authorization request itself, which works from any computer.
 * @throws Failure `login_timed_out`, `callback_unusable`, `link_taken_twice`, or the signal's reason
 */
export async function receiveResponse(ports: ReceivePorts, request: ReceiveRequest): Promise<AuthorizationResponse> {
  const { listener, pageAdvice, timeoutMs } = request;
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  let isAdvised = false;
  const advise = (before = '') => {
    if (!isAdvised) ports.terminal.tell(`${before}${pageAdvice}`);
    isAdvised = true;
  };
  if (timeoutMs > hintAfterMs) {
    ports.clock.sleep(hintAfterMs, signal).then(
      () => advise('Still waiting; take your time. '),
      () => undefined,
    );
  }
  const waiting = { ...request, advise, signal };
  try {
    const timeUp = ports.clock.sleep(timeoutMs, signal).then(() => {
      throw loginTimedOut(timeoutMs, pageAdvice, request.mode === 'browser');
    });
    return await Promise.race([listener.response, timeUp, askPerson(ports, waiting)]);
  } finally {
    over.abort();
  }
}

/** A wait for the response. */
interface Waiting extends ReceiveRequest {
  /** Says what to do where the page shows an error, unless that was said. */
  readonly advise: () => void;
}

/** Resolves only if the response is pasted at the terminal. */
async function askPerson(ports: ReceivePorts, request: Waiting): Promise<AuthorizationResponse> {
  const { terminal } = ports;
  const { mode, listener, byCode, signal } = request;
  const never = () => new Promise<never>(() => {});
  const why = mode === 'browser' ? await whyNotOpened(ports, request) : undefined;
  if (signal.aborted) return never();
  if (why !== undefined) terminal.tell(why);
  const url = await listener.address();
  showAddress(terminal, request, url);
  if (byCode !== undefined) terminal.tell(`To type a code on any computer or phone instead, run: ${byCode}`);
  if (!terminal.interactive) return never();
  terminal.tell(
    'If the browser ends on a page that does not load, copy that page’s whole address and paste it here, and nowhere else: whoever has it can use your login.',
  );
  return (await takePastedResponse(terminal, request)) ?? never();
}

/** Opens the browser. Resolves only if that fails, at once or later, with a sentence that says why. */
async function whyNotOpened(ports: ReceivePorts, request: ReceiveRequest): Promise<string> {
  const opener = new AbortController();
  const watch = { failed: () => opener.abort(), tell: ports.terminal.tell };
  const chosen = request.browser;
  if ((await ports.browser.open(request.listener.link('opener'), chosen, watch)) === 'opened') {
    request.signal.throwIfAborted();
    // An opener that hangs, or opens nothing, does not report it.
    showLink(ports.terminal, request);
    const signal = AbortSignal.any([request.signal, opener.signal]);
    await watchBrowser(ports, { ...request, signal }, watch).catch(() => request.signal.throwIfAborted());
    ports.progress.end();
    return 'The browser could not be opened, or has ended with an error.';
  }
  if (chosen === undefined) return 'No browser could be opened here.';
  const name = printable(chosen.program, 200);
  return `The browser chosen for this login (${name}) could not be started; --browser-with chooses another.`;
}

/** Shows the time left; Enter opens and shows the address again. */
async function watchBrowser(ports: ReceivePorts, request: ReceiveRequest, watch: OpenerWatch): Promise<never> {
  const { terminal, clock, browser, progress } = ports;
  const { signal, timeoutMs, listener } = request;
  const end = clock.monotonic() + timeoutMs;
  let latest = clock.monotonic();
  const openAgain = () => {
    if (signal.aborted || clock.monotonic() - latest < tabEveryMs) return;
    latest = clock.monotonic();
    // Whoever took the opener's link before the person's browser would take the next one, too.
    if (!listener.doubtful) void browser.open(listener.link('opener'), request.browser, watch);
    showLink(terminal, request, listener.doubtful ? undefined : 'Opened again. If no page shows');
  };
  using _keys = terminal.interactive ? terminal.listen(openAgain) : undefined;
  const enter = terminal.interactive ? '; Enter opens the page again' : '';
  for (;;) {
    const left = end - clock.monotonic();
    const shown =
      left > 120_000 ? `${Math.ceil(left / 60_000)} min` : `${Math.max(0, Math.ceil(left / 10_000) * 10)} s`;
    progress.begin(`Waiting for the browser (${shown} left${enter})`);
    await clock.sleep(left > 120_000 ? left % 60_000 || 60_000 : 10_000, signal);
  }
}

/** For an opened browser. On this machine our own link is shorter, and sends the response back the same way. */
function showLink(terminal: Terminal, request: ReceiveRequest, where = 'If no page opens in the browser'): void {
  const { listener, availability, consent, signal } = request;
  // Where a page of ours comes first, this address leads there, too.
  const isHere = consent !== undefined || !['ssh', 'container'].includes(availability);
  const show = (url: string): void => {
    if (signal.aborted) return;
    terminal.event({ event: 'login_page', url, redirectUri: listener.redirectUri });
    // Whoever watches an agent is to know why the page waits.
    if (consent !== undefined) terminal.tell('The page asks first whether to log in, as no person typed this.');
    terminal.tell(`${where}${isHere ? '' : ' here'}, open this address in one:`);
    terminal.tell(printable(url, maxShown));
  };
  if (isHere) show(listener.link('terminal'));
  // Where there is none to be had, the person knows already.
  else listener.address().then(show, () => undefined);
}

function showAddress(terminal: Terminal, { listener, availability, mode, browser }: ReceiveRequest, url: string): void {
  const asked = mode === 'browser' && browser === undefined;
  const { redirectUri } = listener;
  const hint = browserHint(availability, { redirectUri, asked });
  terminal.event({ event: 'login_page', url, redirectUri });
  const end = hint.length === 0 || hint.at(-1) === '' ? [] : [''];
  ['Open this address in a browser:', '', printable(url, maxShown), '', ...hint, ...end].forEach(terminal.tell);
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
 * Asks at the terminal for the redirect URL, hidden and as often as it takes, until it is the response to this login.
 * Undefined at end of input: then nobody will paste, and the browser may still come by itself.
 * @throws the signal's reason
 */
async function takePastedResponse(
  terminal: Terminal,
  { listener, signal, advise }: Waiting,
): Promise<AuthorizationResponse | undefined> {
  const { redirectUri } = listener;
  for (;;) {
    const text = await terminal.ask('Address (it stays hidden): ', { hidden: true, signal });
    signal.throwIfAborted();
    if (text === undefined) return undefined;
    const pasted = readPastedResponse(text, { redirectUri, isOurState: (state) => listener.isOurs(state) });
    if (pasted.ok) return pasted.response;
    terminal.tell(`${explanations[pasted.problem]} The right one begins with ${redirectUri}?`);
    advise(); // a page that shows an error may be why
  }
}

import { type LoginMeant, loginCommand } from '../primitives/login-command.js';
import { quoted } from '../primitives/printable.js';
import { exitCode, Failure } from './failure.js';

/** Something else listens on the port that was asked for. It is never taken for one of ours. */
export function portInUse(port: number, cause: unknown): Failure {
  return new Failure({
    code: 'port_in_use',
    exit: exitCode.usage,
    message: `Port ${port} of 127.0.0.1, which was asked for to receive the login’s answer, is in use by another process; no browser was opened.`,
    remedy: 'End that process, or choose another --redirect-port (without the option a free one is taken).',
    cause,
  });
}

/** A port that can not or may not receive the callback. `why` ends the sentence "… cannot be used: ". */
export function portRefused(port: number, why: string, cause?: unknown): Failure {
  return new Failure({
    code: 'port_refused',
    exit: exitCode.usage,
    message: `Port ${port} cannot be used to receive the login’s answer: ${why}; no browser was opened.`,
    remedy: 'Choose a --redirect-port from 1024 to 65535, or leave the option out to have a free one taken.',
    cause,
  });
}

/**
 * Our one-time link was asked for a second time: either the browser fetched it twice, or somebody else on this
 * machine took the first turn and could deliver an answer of their own.
 */
export function linkTakenTwice(): Failure {
  return new Failure({
    code: 'link_taken_twice',
    exit: exitCode.refused,
    message:
      'The link that opens the login page works once, and it was asked for twice: another program or user of this machine may have seen it. The login was stopped; nothing was redeemed.',
    remedy:
      'Run the login again; if it happens again, add --no-browser, which shows the login page’s address here only.',
  });
}

/** Nobody answered. Many refusals end on a page of the authorization server's, with no callback at all. */
export function loginTimedOut(timeoutMs: number, pasting: boolean): Failure {
  const otherWay = pasting
    ? 'with --timeout for more time; an address that the browser ends on, page or no page, is to be pasted here'
    : 'with --timeout for more time, with --no-browser to paste the address that the browser ends on';
  return new Failure({
    code: 'login_timed_out',
    exit: exitCode.network,
    message: `No answer came back from the browser within ${spanOf(timeoutMs)}. If the page there shows an error (unknown client, redirect address not allowed, no access), it never sends one.`,
    remedy: `Look at the browser’s page for the reason, then run the login again: with --registration dynamic if it does not know the client, ${otherWay}.`,
  });
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [count, unit] = seconds >= 120 && seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Tab after tab, and nobody answers: no further one is opened. */
export function tooManyTabs(login: LoginMeant, most: number): Failure {
  return new Failure({
    code: 'too_many_tabs',
    exit: exitCode.loginNeeded,
    message: `The browser was opened ${most} times within the last hour to log in to ${quoted(login.server)}, and nobody answered; it was not opened again.`,
    remedy: `Run, which shows the login page’s address here: ${loginCommand(login, '--no-browser')}`,
  });
}

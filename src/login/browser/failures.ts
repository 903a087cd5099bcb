import { exitCode, Failure } from '../../core/failure.js';
import type { RegistrationWay } from '../../core/records.js';
import { counted } from '../../core/text/printable.js';

/** Something else listens on the port that was asked for. */
export function portInUse(port: number, cause: unknown): Failure {
  const message = `Port ${port} of 127.0.0.1, which was asked for to receive the login’s answer, is in use by another process; no browser was opened.`;
  const remedy = 'End that process, or choose another --redirect-port (without the option a free one is taken).';
  return new Failure({ code: 'port_in_use', exit: exitCode.usage, message, remedy, cause });
}

/** A port that can not or may not receive the callback. `why` ends the sentence "… cannot be used: ". */
export function portRefused(port: number, why: string, cause?: unknown): Failure {
  const message = `Port ${port} cannot be used to receive the login’s answer: ${why}; no browser was opened.`;
  const remedy = 'Choose a --redirect-port from 1024 to 65535, or leave the option out to have a free one taken.';
  return new Failure({ code: 'port_refused', exit: exitCode.usage, message, remedy, cause });
}

/** The opener's link was taken by two browsers, or by another user: somebody else may have logged in. */
export function linkTakenTwice(): Failure {
  const message =
    'The link that opens the login page was used by two browsers, or by another user of this machine, and the answer may be of somebody else’s login. It was not used, and nothing was stored.';
  const remedy =
    'Run the login again; if it happens again, add --no-browser, which shows the login page’s address here only.';
  return new Failure({ code: 'link_taken_twice', exit: exitCode.refused, message, remedy });
}

/** The client that a login page is asked for, as far as it may be why the page shows an error. */
export interface ShownClient {
  readonly way: RegistrationWay;
  /** Registered by itself at an earlier login. */
  readonly isKept: boolean;
  readonly redirectUri: string;
  /** Did anybody say which port the redirect URI is to have? */
  readonly hasFixedPort: boolean;
}

/** What to do where the login page shows an error: it sends no response then (RFC 6749 section 4.1.2.1). */
export function whenPageFails(client: ShownClient): string {
  return `Does the page show an error? Then no answer comes. ${waysOut(client)}`;
}

function waysOut({ way, isKept, redirectUri, hasFixedPort }: ShownClient): string {
  switch (way) {
    case 'dynamic':
      return isKept
        ? 'Run the login again: it then registers this program anew.'
        : 'If it does not know this program, or refuses its address, register a client there and pass it with --client-id.';
    case 'metadata':
      return 'If it does not take the client ID metadata document, run the login again with --registration dynamic or with --client-id.';
    case 'preregistered':
    case 'ask':
      return hasFixedPort
        ? `If it does not know the client, check --client-id; if it refuses the redirect address, register ${redirectUri} there.`
        : 'If it does not know the client, check --client-id; if it refuses the redirect address, add --redirect-port with the port that is registered there.';
  }
}

/** No response came. Many refusals end on a page of the authorization server's, with no callback at all. */
export function loginTimedOut(timeoutMs: number, whenPageFails: string, withBrowser: boolean): Failure {
  const noPage = withBrowser ? ' If the page cannot be loaded, add --no-browser.' : '';
  const longer = Math.min(3600, Math.max(10, Math.round(timeoutMs / 500)));
  const message = `No answer came back from the browser within ${spanOf(timeoutMs)}. A page that shows an error (unknown client, redirect address not allowed, no access) never sends one.`;
  const remedy = `${whenPageFails}${noPage} If you need longer, add --timeout ${longer}.`;
  return new Failure({ code: 'login_timed_out', exit: exitCode.network, message, remedy });
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [count, unit] = seconds >= 120 && seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return counted(count, unit);
}

import { exitCode, Failure } from '../../core/failure.js';
import type { Terminal } from '../../core/ports.js';
import type { RegistrationWay } from '../../core/records.js';
import { counted } from '../../core/text/printable.js';

/** Something else listens on the port that was asked for. */
export function portInUse(port: number, cause: unknown): Failure {
  const message = `Port ${port} (--redirect-port) is in use by another program.`;
  const remedy = 'Choose another --redirect-port, or leave it out to use any free port.';
  return new Failure({ code: 'port_in_use', exit: exitCode.usage, message, remedy, cause });
}

/** A port that can not or may not receive the callback. `why` ends the sentence "… cannot be used: ". */
export function portRefused(port: number, why: string, cause?: unknown): Failure {
  const message = `Port ${port} (--redirect-port) cannot be used: ${why}.`;
  const remedy = 'Choose a --redirect-port from 1024 to 65535, or leave it out to use any free port.';
  return new Failure({ code: 'port_refused', exit: exitCode.usage, message, remedy, cause });
}

/** The opener's link was taken by two browsers, or by another user: somebody else may have logged in. */
export function linkTakenTwice(): Failure {
  const message =
    'Two browsers, or another user of this machine, opened the login link, so the login may be somebody else’s. Nothing was stored.';
  const remedy = 'Log in again; if it happens again, add --no-browser, which shows the link only here.';
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
export class PageAdvice {
  readonly text: string;
  #isPrinted = false;

  constructor(client: ShownClient) {
    this.text = `Does the page show an error? ${waysOut(client)}`;
  }

  /** Once is enough. */
  tell(terminal: Pick<Terminal, 'tell'>, before = ''): void {
    if (!this.#isPrinted) terminal.tell(`${before}${this.text}`);
    this.#isPrinted = true;
  }
}

function waysOut({ way, isKept, redirectUri, hasFixedPort }: ShownClient): string {
  switch (way) {
    case 'dynamic':
      return isKept
        ? 'Log in again, which registers this program anew.'
        : 'Register a client there and pass it with --client-id.';
    case 'metadata':
      return 'Add --registration dynamic, or --client-id with a client that is registered there.';
    case 'preregistered':
    case 'ask':
      return hasFixedPort
        ? `Check --client-id, and that ${redirectUri} is registered there.`
        : 'Check --client-id, and add --redirect-port with the port that is registered there.';
  }
}

/** No response came. Many refusals end on a page of the authorization server's, with no callback at all. */
export function loginTimedOut(timeoutMs: number, whenPageFails: string, withBrowser: boolean): Failure {
  const noPage = withBrowser ? ' Page can’t load? Add --no-browser.' : '';
  const longer = Math.min(3600, Math.max(10, Math.round(timeoutMs / 500)));
  const message = `Timed out after ${spanOf(timeoutMs)}: the browser did not come back from the login page.`;
  const remedy = `${whenPageFails}${noPage} Need longer? Add --timeout ${longer}.`;
  return new Failure({ code: 'login_timed_out', exit: exitCode.network, message, remedy });
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [count, unit] = seconds >= 120 && seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return counted(count, unit);
}

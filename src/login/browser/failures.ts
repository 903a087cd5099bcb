import type { LoopbackHost } from '../../core/configuration/redirect-uri.js';
import { exitCode, Failure } from '../../core/failure.js';
import { counted, quoted } from '../../core/text/printable.js';

export function portInUse(
  port: number,
  at: { readonly host: LoopbackHost; readonly address: string },
  cause: unknown,
): Failure {
  const { host, address } = at;
  const both = `Port ${port} is in use by another program at ${address}; the redirect address http://localhost:${port} needs it at 127.0.0.1 and at ::1.`;
  const message = host === 'localhost' ? both : `Port ${port} (--redirect-port) is in use by another program.`;
  const remedy =
    host === 'localhost'
      ? 'End that program, or choose another --redirect-port.'
      : 'Choose another --redirect-port, or leave it out to use any free port.';
  return new Failure({ code: 'port_in_use', exit: exitCode.usage, message, remedy, cause });
}

/** The same, where the port is that of a redirect URI, which may be registered with it. @param other With `PORT` in it. */
export function portOfUriInUse(uri: string, other: string, cause: Failure): Failure {
  const { port, hostname } = new URL(uri);
  const message =
    hostname === 'localhost'
      ? cause.message
      : `Port ${port} of the redirect address ${uri} is in use by another program.`;
  const remedy = `End that program. Where the authorization server takes another port, too, add --redirect-uri ${other}`;
  return new Failure({ code: 'port_in_use', exit: exitCode.usage, message, remedy, cause });
}

/** A port that can not or may not receive the callback. `why` ends the sentence "… cannot be used: ". */
export function portRefused(port: number, why: string, cause?: unknown): Failure {
  const message = `Port ${port} (--redirect-port) cannot be used: ${why}.`;
  const remedy = 'Choose a --redirect-port from 1024 to 65535, or leave it out to use any free port.';
  return new Failure({ code: 'port_refused', exit: exitCode.usage, message, remedy, cause });
}

export function addressAbsent(address: string, cause: unknown): Failure {
  const message = `The callback cannot be taken at ${quoted(address, 80)}: this system has no such address.`;
  const remedy =
    'Choose another redirect address: --redirect-uri http://127.0.0.1/callback; or another --listen-address, if you passed one.';
  return new Failure({ code: 'port_refused', exit: exitCode.usage, message, remedy, cause });
}

/** `--listen-address` where it may not be, or of what is none. `why` ends the sentence. */
export function listenAddressRefused(address: string, why: string): Failure {
  const message = `The callback cannot be taken at ${quoted(address, 80)} (--listen-address): ${why}.`;
  const remedy =
    'Leave --listen-address out: the callback comes in at this machine alone. In a container, pass 0.0.0.0 or one of its own addresses.';
  return new Failure({ code: 'listen_address_refused', exit: exitCode.usage, message, remedy });
}

export function publishedPortUnknown(): Failure {
  const message = '--listen-address is for a port that the container publishes, and which one was not said.';
  const remedy = 'Add --redirect-uri http://localhost:PORT/callback with the port that is published.';
  return new Failure({ code: 'published_port_unknown', exit: exitCode.usage, message, remedy });
}

export function linkTakenTwice(): Failure {
  const message =
    'Two browsers, or another user of this machine, opened the login link, so the login may be somebody else’s. Nothing was stored.';
  const remedy = 'Log in again; if it happens again, add --no-browser, which shows the link only here.';
  return new Failure({ code: 'link_taken_twice', exit: exitCode.refused, message, remedy });
}

export function loginTimedOut(timeoutMs: number, whenPageFails: string, withBrowser: boolean): Failure {
  const noPage = withBrowser ? ' Page can’t load? Add --no-browser.' : '';
  const longer = Math.min(3600, Math.max(10, Math.round(timeoutMs / 500)));
  const message = `Timed out after ${spanOf(timeoutMs)}: the browser did not come back from the login page.`;
  const remedy = `Need longer? Add --timeout ${longer}.${noPage} ${whenPageFails}`;
  return new Failure({ code: 'login_timed_out', exit: exitCode.network, message, remedy });
}

function spanOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [count, unit] = seconds >= 120 && seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return counted(count, unit);
}

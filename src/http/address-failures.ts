import { type ExitCode, exitCode, Failure } from '../core/failure.js';
import { visibleUrl } from '../core/resource.js';
import { quoted } from '../core/text/printable.js';

/** Who named the address: the person at the keyboard, or a server (of whatever zone). */
export type NamedBy = 'person' | 'public' | 'private' | 'loopback';

const operator = 'Report this to the operator of the server that names it; nothing was requested there.';

/** A URL that the gate, or the rule of https, does not let pass. `problem` finishes "…: it is …". */
export function urlRefused(raw: string, problem: string, namedBy: NamedBy): Failure {
  const remedy = 'Type the full address, for example https://server.example/mcp.';
  return urlUnusable(raw, `cannot be used: ${problem}`, namedBy, remedy);
}

/** Plain http to anything that is not on this machine. */
export function plainHttpRefused(raw: string, namedBy: NamedBy): Failure {
  const why = 'is plain http, which is used for servers on this machine only';
  return urlUnusable(raw, why, namedBy, 'Use the https address of the server.');
}

function urlUnusable(raw: string, why: string, namedBy: NamedBy, remedy: string): Failure {
  const subject = namedBy === 'person' ? 'The address' : 'The address that the server names';
  return new Failure({
    code: 'url_refused',
    exit: exitOf(namedBy),
    message: `${subject} ${quoted(visibleUrl(raw), 200)} ${why}.`,
    remedy: namedBy === 'person' ? remedy : operator,
  });
}

/** A name or address that leads farther in than its source may point. `kind` is the class of the address. */
export function addressRefused(host: string, kind: string, namedBy: NamedBy): Failure {
  return new Failure({
    code: 'address_refused',
    exit: exitOf(namedBy),
    message: `${quoted(host, 100)} leads to ${meaning[kind] ?? 'an address that is never connected to'}${namedBy === 'person' ? '' : `, and was named by a ${namedBy} server`}; nothing was sent.`,
    remedy:
      namedBy === 'person'
        ? 'Check the host name: link-local, reserved and metadata addresses are never connected to.'
        : 'Do not log in to that server until its operator explains this; it can be an attack on your network.',
  });
}

/** A redirect that is not followed. `why` finishes "… is not followed: …". */
export function redirectRefused(detail: {
  readonly from: string;
  readonly status: number;
  readonly to: string | undefined;
  readonly why: string;
}): Failure {
  const { from, status, to, why } = detail;
  const target = to === undefined ? 'nowhere' : quoted(visibleUrl(to), 200);
  return new Failure({
    code: 'redirect_refused',
    exit: exitCode.serverBreaksRules,
    message: `${quoted(visibleUrl(from), 200)} redirects (${status}) to ${target}, which is not followed: ${why}.`,
    remedy: 'If the server has moved, use its new address; else report the redirect to its operator.',
  });
}

const meaning: Readonly<Record<string, string>> = {
  loopback: 'this machine itself',
  private: 'a private network',
  forbidden: 'an address that is never connected to (link-local, reserved, multicast or metadata service)',
};

function exitOf(namedBy: NamedBy): ExitCode {
  return namedBy === 'person' ? exitCode.usage : exitCode.serverBreaksRules;
}

import { requestUnusable } from '../../errors/credential.js';
import { toldExpiry } from '../../primitives/credential-format.js';
import { type GitAttributes, parseGitAttributes } from '../../primitives/git-attributes.js';
import { Secret } from '../../primitives/secret.js';
import { gateUrl } from '../../primitives/url-gate.js';
import { type Granted, tokenText } from './plain.js';

/** What git asks, as far as it matters. */
export interface GitRequest {
  /** Undefined: it contradicts itself, or names nothing; then there is no answer. */
  readonly target: string | undefined;
  /** Does it name a path? Without `credential.useHttpPath` git does not. */
  readonly namesPath: boolean;
  readonly username: string | undefined;
  /** It can send `Authorization: Bearer`. */
  readonly takesBearer: boolean;
  /** The server, as far as it said, takes a user name and a password. */
  readonly mayTakePassword: boolean;
  /** The credential that is told of, with `erase`. */
  readonly credential: Secret | undefined;
}

/** Stands for a user where a server wants one beside a token. */
export const gitUsername = 'oauth2';

/** @throws Failure `request_unusable` */
export function readGitRequest(bytes: Uint8Array): GitRequest {
  const attributes = parseGitAttributes(bytes);
  if (attributes === undefined) {
    throw requestUnusable(
      'git',
      'it holds a control character, or more than 256 lines, or a line that is no name=value',
    );
  }
  const { values, lists } = attributes;
  const challenges = lists.get('wwwauth[]') ?? [];
  const credential = values.get('credential') ?? values.get('password');
  return {
    ...targetOf(attributes),
    username: values.get('username'),
    takesBearer: (lists.get('capability[]') ?? []).includes('authtype'),
    mayTakePassword: challenges.length === 0 || challenges.some((text) => /^basic\b/i.test(text)),
    credential: credential === undefined ? undefined : new Secret(credential),
  };
}

function targetOf({ values, contradicts }: GitAttributes): Pick<GitRequest, 'target' | 'namesPath'> {
  const nothing = { target: undefined, namesPath: false };
  const [protocol, host, path, url] = ['protocol', 'host', 'path', 'url'].map((name) => values.get(name));
  if (contradicts) {
    return nothing;
  }
  if (url !== undefined) {
    const gated = gateUrl(url);
    const isAlone = protocol === undefined && host === undefined && path === undefined;
    return gated.ok && isAlone ? { target: url, namesPath: gated.url.pathname !== '/' } : nothing;
  }
  if (protocol === undefined || !/^https?$/.test(protocol) || host === undefined || /[/?#@\\]/.test(host)) {
    return nothing;
  }
  return {
    target: `${protocol}://${host}${path === undefined ? '' : `/${inUrl(path)}`}`,
    namesPath: path !== undefined && path !== '',
  };
}

/** git has decoded the path; what may stand in one is left as it is. */
function inUrl(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu, encodeURIComponent);
}

/** What this helper can do (git 2.46 and later ask). */
export const gitCapabilities = 'version 0\ncapability authtype\n';

/**
 * The Bearer form to a git that takes it, marked so that no other helper keeps it; else user name and password. Never
 * `host` or `url`, which would lead the credential elsewhere.
 */
export function gitOutput(granted: Granted, request: Pick<GitRequest, 'takesBearer'>, now: number): string {
  const token = tokenText('git', granted);
  const expiry = toldExpiry(granted.expiresAt, now);
  const lines = request.takesBearer
    ? ['capability[]=authtype', 'authtype=Bearer', `credential=${token}`, 'ephemeral=1']
    : [`username=${gitUsername}`, `password=${token}`];
  return [...lines, ...(expiry === undefined ? [] : [`password_expiry_utc=${expiry}`]), '', ''].join('\n');
}

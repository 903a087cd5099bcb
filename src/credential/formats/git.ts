import { Secret } from '../../core/secret.js';
import { gateUrl } from '../../core/url.js';
import { targetUrl } from '../../tokens/credential-target.js';
import { requestUnusable, wordsWrong } from '../failures.js';
import {
  type CallContext,
  type CredentialArguments,
  type CredentialCall,
  getCall,
  serverIn,
  wantedOf,
} from './call.js';
import { type Granted, reportedExpiry, tokenText } from './plain.js';

/** What git asks, as far as it matters. */
interface GitRequest {
  /** Undefined: it contradicts itself, or names nothing; then nothing is handed out. */
  readonly target: string | undefined;
  /** Does it name a path? Without `credential.useHttpPath` git does not. */
  readonly namesPath: boolean;
  readonly username: string | undefined;
  /** It can send `Authorization: Bearer`. */
  readonly takesBearer: boolean;
  /** The server, as far as it said, takes a user name and a password. */
  readonly mayTakePassword: boolean;
  /** The credential that an `erase` is about. */
  readonly credential: Secret | undefined;
}

/** Stands for a user where a server wants one with a token. */
const gitUsername = 'oauth2';

/** @throws Failure `request_unusable` */
function readGitRequest(bytes: Uint8Array): GitRequest {
  const attributes = parseGitAttributes(bytes);
  if (attributes === undefined) {
    const why = 'it holds a control character, or more than 256 lines, or a line that is no name=value';
    throw requestUnusable('git', why);
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
  if (contradicts) return nothing;
  if (url !== undefined) {
    const gated = gateUrl(url);
    const isAlone = protocol === undefined && host === undefined && path === undefined;
    return gated.ok && isAlone ? { target: url, namesPath: gated.url.pathname !== '/' } : nothing;
  }
  const isHttp = protocol === 'http' || protocol === 'https';
  if (!isHttp || host === undefined || /[/?#@\\]/.test(host)) return nothing;
  // git has decoded the path.
  const encoded = path?.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/gu, encodeURIComponent);
  const target = `${protocol}://${host}${encoded === undefined ? '' : `/${encoded}`}`;
  return { target, namesPath: path !== undefined && path !== '' };
}

/**
 * The Bearer form to a git that takes it, marked so that no other helper keeps it; else user name and password. Never
 * `host` or `url`, which would lead the credential elsewhere.
 */
function gitOutput(granted: Granted, { takesBearer }: GitRequest, now: number): string {
  const token = tokenText('git', granted);
  const expiry = reportedExpiry(granted.expiresAt, now);
  const lines = takesBearer
    ? ['capability[]=authtype', 'authtype=Bearer', `credential=${token}`, 'ephemeral=1']
    : [`username=${gitUsername}`, `password=${token}`];
  return [...lines, ...(expiry === undefined ? [] : [`password_expiry_utc=${expiry}`]), '', ''].join('\n');
}

/** git asks, says that a credential was good, or that it was not. @throws Failure `request_unusable`, `usage_wrong` */
export function gitCall(args: CredentialArguments, { input }: CallContext): CredentialCall {
  const operation = args.words.at(-1);
  if (operation === undefined) {
    throw wordsWrong('git', 'is called with get, store, erase or capability as its last word');
  }
  const named = serverIn('git', args.words.slice(0, -1));
  const nothing = { kind: 'fixed', output: '' } as const;
  if (operation === 'capability') return { kind: 'fixed', output: 'version 0\ncapability authtype\n' };
  if (operation !== 'get' && operation !== 'erase') return nothing; // store, and what a later git may ask
  const request = readGitRequest(input);
  const { username, credential, target = '' } = request;
  const isAccount = username !== undefined && username !== '' && username !== gitUsername;
  const account = args.account ?? (isAccount ? username : undefined);
  const wanted = wantedOf({ ...args, account }, named, target);
  if (operation === 'erase') return credential === undefined ? nothing : { kind: 'refused', wanted, credential };
  const isOther = isAccount && args.account !== undefined && args.account !== username;
  if (targetUrl(target) === undefined || isOther) return nothing;
  if (!request.takesBearer && !request.mayTakePassword) return { kind: 'too_old', wanted };
  return getCall(args, wanted, {
    unmapped: '',
    hint: request.namesPath ? undefined : 'use_http_path',
    output: (granted, now) => gitOutput(granted, request, now),
  });
}

/** Of a request (git-credential, "INPUT/OUTPUT FORMAT"); the length of a line is git's own limit. */
const maxLineLength = 65_535;

const maxLines = 256;

interface GitAttributes {
  /** The value of each name that may be given once. */
  readonly values: ReadonlyMap<string, string>;
  /** The values of each name that ends in `[]`, in order. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** The same name with two values. */
  readonly contradicts: boolean;
}

/** Line feeds end lines, and nothing else does; whatever other readers take for an end of line is refused. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Has the whole request come: up to the empty line? */
export function isWholeGitRequest(bytes: Uint8Array): boolean {
  return /(?:^|\n)\r?\n/.test(new TextDecoder('latin1').decode(bytes));
}

/**
 * Takes a request to a git credential helper apart: `name=value` in lines ended by LF (one CR before it is let pass),
 * up to an empty line or the end. Undefined for what no git sends: controls, no UTF-8, too much.
 */
function parseGitAttributes(bytes: Uint8Array): GitAttributes | undefined {
  const text = decode(bytes);
  if (text === undefined) return undefined;
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  let contradicts = false;
  const lines = text.split('\n', maxLines + 2);
  for (const [index, raw] of lines.entries()) {
    const line = raw.replace(/\r$/, '');
    if (line === '') break;
    const equals = line.indexOf('=');
    if (index >= maxLines || raw.length > maxLineLength || control.test(line) || equals < 1) return undefined;
    const [name, value] = [line.slice(0, equals), line.slice(equals + 1)];
    if (name.endsWith('[]')) {
      lists.set(name, value === '' ? [] : [...(lists.get(name) ?? []), value]);
    } else {
      contradicts ||= values.has(name) && values.get(name) !== value;
      values.set(name, value);
    }
  }
  return { values, lists, contradicts };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

import type { ArgumentsOf } from '../../core/command.js';
import type { Secret } from '../../core/secret.js';
import type { CredentialFormat, credentialTable } from '../credential.options.js';
import { wordsWrong } from '../failures.js';
import type { WantedCredential } from '../find-credential.js';
import type { Granted } from './plain.js';

export type CredentialArguments = ArgumentsOf<typeof credentialTable>;

/** What a call says beside its words. */
export interface CallContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was read of stdin. */
  readonly input: Uint8Array;
}

/** What a caller asks for. */
export type CredentialCall =
  /** These bytes, whatever there is. */
  | { readonly kind: 'fixed'; readonly output: string }
  | GetCall
  /** The server wants what this git is too old to send. */
  | { readonly kind: 'too_old'; readonly wanted: WantedCredential }
  /** This very credential was refused. */
  | { readonly kind: 'refused'; readonly wanted: WantedCredential; readonly credential: Secret };

export interface GetCall {
  readonly kind: 'get';
  readonly wanted: WantedCredential;
  /** Printed where nothing is mapped; undefined: then it is a failure. */
  readonly unmapped?: string | undefined;
  /** What the person may do about it. */
  readonly hint?: 'use_http_path' | undefined;
  /** The token handed out last was refused. */
  readonly refused?: boolean;
  readonly minLifeMs: number | undefined;
  readonly output: (granted: Granted, now: number) => string;
}

/** @param named What the configuration of the caller names @param target The address that the caller asks for. */
export function wantedOf(
  { format, account, pin, wholeHost }: CredentialArguments,
  named: string | undefined,
  target: string | undefined,
): WantedCredential {
  return { format, named, target, account, pin, wholeHost };
}

export function getCall(
  { minTtl }: CredentialArguments,
  wanted: WantedCredential,
  more: Omit<GetCall, 'kind' | 'wanted' | 'minLifeMs'>,
): GetCall {
  return { kind: 'get', wanted, minLifeMs: minTtl === undefined ? undefined : minTtl * 1000, ...more };
}

/** At most the server. @throws Failure `usage_wrong` */
export function serverIn(format: CredentialFormat, words: readonly string[]): string | undefined {
  if (words.length > 1) throw wordsWrong(format, 'takes a server and no further word');
  return words[0];
}

import { type Failure, ignoreFailure, isFailure } from '../core/failure.js';
import type { LoginMeant } from '../core/login-command.js';
import type { LoginRecord, ProviderRecord } from '../core/records.js';
import type { Secret } from '../core/secret.js';
import {
  idJagRefused,
  idTokenUnusable,
  otherPersonVouched,
  providerFailed,
  providerLoginEnded,
} from '../oauth/company/failures.js';
import { type IdJagTarget, requestIdJag, type SubjectType } from '../oauth/company/id-jag.js';
import type { FailedRequest } from '../oauth/engine.js';
import { type Identity, identityIn, idTokenProblem } from '../oauth/id-token.js';
import { sourceInWords } from '../stores/assertions.js';
import type { KeptProvider, StoredCredential, TokenFile } from '../stores/credential-item.js';
import type { TokenPorts } from './read-credential.js';

type Ports = Pick<TokenPorts, 'http' | 'clock' | 'assertions' | 'index' | 'journal'>;

/**
 * What a provider's login is refreshed by, where its ID token has ended, or was `rejected`.
 * @throws Failure as `refreshCredential`
 */
export type Refreshes = (login: ProviderRecord, rejected: Secret | undefined) => Promise<StoredCredential>;

/** What a company's provider is to vouch for. */
export interface VouchRequest {
  readonly provider: KeptProvider;
  /** Of the client at the provider, where the ID token comes from a file. */
  readonly secret: Secret | undefined;
  /** Of the server's login, and of the one at the provider. */
  readonly account: string;
  readonly target: IdJagTarget;
  /** The server's login, for messages. */
  readonly login: LoginMeant;
  readonly refresh: Refreshes;
  readonly signal: AbortSignal;
}

export type Vouched =
  | {
      readonly ok: true;
      readonly idJag: Secret;
      readonly identity: Identity | undefined;
      /** What the provider was sent. */
      readonly sent: readonly (Secret | undefined)[];
      /** Makes a refusal of the server's authorization server say what it was shown. */
      readonly explain: (failure: Failure) => Failure;
    }
  | { readonly ok: false; readonly failed: FailedRequest; readonly explain: () => Failure };

/** What is shown to the provider, and where. */
interface Subject {
  readonly token: Secret;
  readonly type: SubjectType;
  /** The ID token, for whose it is. */
  readonly idToken: Secret;
  readonly endpoint: Omit<TokenFile, 'path'>;
  readonly secret: Secret | undefined;
}

/**
 * An ID-JAG for one server, by the company's provider: the ID token that is kept, or read anew from its file, is exchanged for
 * it. It is for the authorization server that the login is bound to, whatever the server names by now.
 * @throws Failure `login_expired`, `assertion_unreadable`, `assertion_unusable`, or the HTTP client's and the store's
 */
export async function vouch(ports: Ports, request: VouchRequest): Promise<Vouched> {
  if (request.provider.file !== undefined) return await exchange(ports, request, await fileSubject(ports, request));
  const subject = await keptSubject(ports, request, undefined);
  const vouched = await exchange(ports, request, subject);
  const isRefused = !vouched.ok && vouched.failed.problem === 'refused' && vouched.failed.error === 'invalid_grant';
  if (!isRefused || subject.type !== 'id_token') return vouched;
  // It may have ended on the way, or be signed with a key that is used no longer: another one is tried, once.
  const other = await keptSubject(ports, request, subject.token).catch(ignoreFailure);
  return other === undefined ? vouched : await exchange(ports, request, other);
}

async function exchange(ports: Ports, request: VouchRequest, subject: Subject): Promise<Vouched> {
  const { provider, target, login, signal } = request;
  const { issuer, clientId } = provider;
  // Whose it is alone: the provider judges the rest of what it has issued itself.
  const identity = identityIn(subject.idToken, { issuer, clientId, now: undefined });
  if (provider.subject !== undefined && identity?.subject !== provider.subject) throw otherPersonVouched(issuer, login);
  const { tokenEndpoint: endpoint, authMethod: method, zone } = subject.endpoint;
  const client = { clientId, method, secret: subject.secret };
  const result = await requestIdJag(ports.http, {
    ...{ endpoint, issuer, client, zone, signal, subject, target },
    now: () => ports.clock.now(),
  });
  ports.journal.record({
    name: 'token_exchange',
    asked: `POST ${endpoint}`,
    came: result.ok ? 'an ID-JAG' : result.problem,
    rule: 'RFC 8693 section 2.2',
    verdict: result.ok ? 'pass' : 'failure',
  });
  if (!result.ok) return { ok: false, failed: result, explain: () => providerFailed(result, issuer, login) };
  const sent = [subject.token, subject.secret, result.idJag];
  return { ok: true, idJag: result.idJag, identity, sent, explain: (failure) => idJagRefused(failure, issuer) };
}

/** The login at that provider, as that client, of that account. @throws Failure of the index */
export async function providerLogin(
  { index }: Pick<TokenPorts, 'index'>,
  { provider, account }: Pick<VouchRequest, 'provider' | 'account'>,
): Promise<ProviderRecord | undefined> {
  const { providers = [] } = await index.read();
  return providers.find((one) => isLoginAt(one, provider) && one.account === account);
}

/** Is this a login at that provider, as that client? */
export function isLoginAt(
  record: Pick<LoginRecord, 'issuer' | 'clientId'>,
  { issuer, clientId }: Pick<KeptProvider, 'issuer' | 'clientId'>,
): boolean {
  return record.issuer === issuer && record.clientId === clientId;
}

async function keptSubject(ports: Ports, request: VouchRequest, rejected: Secret | undefined): Promise<Subject> {
  const { provider, login, refresh } = request;
  const record = await providerLogin(ports, request);
  if (record === undefined) throw providerLoginEnded(provider.issuer, 'there is none any more', login);
  const held = await refreshed({ refresh: () => refresh(record, rejected), issuer: provider.issuer, login });
  const { accessToken: idToken, refreshToken, tokenEndpoint, authMethod, clientSecret: secret, holds } = held;
  const endpoint = { tokenEndpoint, authMethod, zone: record.zone };
  return holds === 'refresh_token' && refreshToken !== undefined
    ? { token: refreshToken, type: 'refresh_token', idToken, endpoint, secret }
    : { token: idToken, type: 'id_token', idToken, endpoint, secret };
}

/** In the words of the server's login: nobody knows the provider's by a name. */
async function refreshed(about: {
  readonly refresh: () => Promise<StoredCredential>;
  readonly issuer: string;
  readonly login: LoginMeant;
}): Promise<StoredCredential> {
  try {
    return await about.refresh();
  } catch (error) {
    const why = isFailure(error) ? reasons[error.code] : undefined;
    if (why === undefined) throw error;
    throw providerLoginEnded(about.issuer, why, about.login, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  login_expired: 'its ID token has ended, and the provider gives no other one without a person',
  login_needed: 'its secret is gone from its store',
  credential_corrupt: 'its secret is damaged',
  no_refresh_token: 'its ID token has ended, and the provider gave no refresh token',
};

async function fileSubject(ports: Ports, request: VouchRequest): Promise<Subject> {
  const { issuer, clientId, file } = request.provider;
  if (file === undefined) throw new Error('an ID token of a file has a file');
  const token = await readTokenFile(ports, { issuer, clientId, path: file.path }, request.signal);
  return { token, type: 'id_token', idToken: token, endpoint: file, secret: request.secret };
}

/**
 * The ID token that a file holds now, where it is that provider's, for that client, and has not ended.
 * @throws Failure `assertion_unreadable`, `assertion_unusable`
 */
export async function readTokenFile(
  { assertions, clock }: Pick<TokenPorts, 'assertions' | 'clock'>,
  { issuer, clientId, path }: Pick<KeptProvider, 'issuer' | 'clientId'> & Pick<TokenFile, 'path'>,
  signal: AbortSignal,
): Promise<Secret> {
  const source = { from: 'file', path } as const;
  const token = await assertions.read(source, signal);
  const why = idTokenProblem(token, { issuer, clientId, now: clock.now() });
  if (why !== undefined) throw idTokenUnusable(sourceInWords(source), why);
  return token;
}

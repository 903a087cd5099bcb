import { type ExitCode, exitCode } from '../core/failure.js';

/** Why steps that need a login were skipped. */
export const needsLogin = 'needs a login: --login';

/** How a check ended. */
export type Level = 'pass' | 'note' | 'warning' | 'failure' | 'skipped';

/** Who can fix it. */
export type Actor = 'you' | 'server' | 'authorization-server' | 'company' | 'network';

/** The same in words. */
export const actors: Readonly<Record<Actor, string>> = {
  you: 'you',
  server: 'the server’s operator',
  'authorization-server': 'the authorization server’s operator',
  company: 'your company’s administrator',
  network: 'the network between you and the server',
};

/** The steps of a login, in their order. */
export const steps = {
  connect: { number: 1, title: 'Reach the server' },
  challenge: { number: 2, title: 'Ask without a token' },
  resource: { number: 3, title: 'Resource metadata' },
  choice: { number: 4, title: 'Authorization server' },
  issuer: { number: 5, title: 'Its metadata' },
  machine: { number: 6, title: 'Store and callback' },
  client: { number: 7, title: 'Client identifier' },
  request: { number: 8, title: 'Authorization request' },
  response: { number: 9, title: 'Its response' },
  redeem: { number: 10, title: 'Redeem the code' },
  save: { number: 11, title: 'Write the credential' },
  token: { number: 12, title: 'Requests with a token' },
  protocol: { number: 13, title: 'The protocol' },
  /** Of a login by one alone. */
  provider: { number: 14, title: 'Company’s provider' },
} as const;

/** What is looked at of this machine. */
export const machineSteps = {
  program: { number: 1, title: 'This program' },
  configuration: { number: 2, title: 'Configuration' },
  network: { number: 3, title: 'Proxy and authorities' },
  state: { number: 4, title: 'State folder' },
  store: { number: 5, title: 'Store' },
  browser: { number: 6, title: 'Browser' },
  callback: { number: 7, title: 'Callback listener' },
  clock: { number: 8, title: 'Clock' },
  logins: { number: 9, title: 'Logins' },
  programs: { number: 10, title: 'Programs set up' },
} as const;

export type StepName = keyof typeof steps | keyof typeof machineSteps;

const everyStep = { ...steps, ...machineSteps };

/** A step by its name, whichever examination it is of. */
export const stepOf = (name: StepName): { readonly number: number; readonly title: string } => everyStep[name];

/** How bad a finding is, at which step, and who can fix it. */
export interface FindingFacts {
  readonly level: 'note' | 'warning' | 'failure';
  readonly step: StepName;
  readonly who: Actor;
  /** The exit code where it is the first cause; 5 where it is not given. */
  readonly exit: ExitCode | undefined;
  /** A login works all the same, and should not. */
  readonly isUnsafe?: true;
}

/** The same with its words, which `--explain` prints. */
export interface FindingKind extends FindingFacts {
  /** What it is, in a short clause. */
  readonly title: string;
  /** What to type or change. */
  readonly remedy: string;
  /** The rule, as it is published. */
  readonly source: string;
  /** Why it matters, in plain words. */
  readonly explanation: string;
}

const of = (level: FindingFacts['level']) => (step: StepName, who: Actor, exit?: ExitCode) => ({
  level,
  step,
  who,
  exit,
});

const [failure, warning, note] = [of('failure'), of('warning'), of('note')];

/** Everything that can be found. Its words are `postern help findings` (app/help/topics/findings.md). */
export const findings = {
  'name-unknown': failure('connect', 'you', exitCode.network),
  'connection-refused': failure('connect', 'server', exitCode.network),
  'not-reachable': failure('connect', 'network', exitCode.network),
  'not-in-time': failure('connect', 'network', exitCode.network),
  'tls-broken': failure('connect', 'server', exitCode.network),
  'address-refused': failure('connect', 'you', exitCode.usage),
  'http-broken': failure('connect', 'server'),
  'run-too-long': failure('connect', 'server', exitCode.network),
  'clock-wrong': warning('connect', 'you'),
  'address-family-dead': note('connect', 'network'),
  'certificate-expires': warning('connect', 'server'),
  'slow-response': note('connect', 'server'),
  'server-failed': failure('challenge', 'server', exitCode.network),
  'login-not-needed': note('challenge', 'you'),
  'no-login-asked': warning('challenge', 'server'),
  'wrong-path': failure('challenge', 'you', exitCode.usage),
  'server-redirects': failure('challenge', 'server'),
  'page-instead': failure('challenge', 'server'),
  'challenge-missing': warning('challenge', 'server'),
  'challenge-invalid': failure('challenge', 'server'),
  'challenge-without-metadata': note('challenge', 'server'),
  'challenge-without-scope': note('challenge', 'server'),
  'challenge-with-error': note('challenge', 'server'),
  'metadata-elsewhere': warning('challenge', 'server'),
  'resource-metadata-missing': failure('resource', 'server'),
  'header-missing': failure('resource', 'you', exitCode.usage),
  'revision-2025-03-26': failure('resource', 'server'),
  'resource-metadata-invalid': failure('resource', 'server'),
  'resource-mismatch': failure('resource', 'server'),
  'resource-spelling': warning('resource', 'server'),
  'resource-is-wider': note('resource', 'server'),
  'resource-metadata-differs': warning('resource', 'server'),
  'resource-metadata-type': warning('resource', 'server'),
  'scopes-many': note('resource', 'server'),
  'offline-access-listed': warning('resource', 'server'),
  'bad-token-taken': { ...failure('token', 'server'), isUnsafe: true },
  'bad-token-status': warning('token', 'server'),
  'bad-token-unnamed': note('token', 'server'),
  'issuer-changed': failure('choice', 'you', exitCode.loginNeeded),
  'several-issuers': note('choice', 'you'),
  'issuer-unknown': failure('issuer', 'server', exitCode.network),
  'issuer-unreachable': failure('issuer', 'authorization-server', exitCode.network),
  'issuer-metadata-missing': failure('issuer', 'authorization-server'),
  'issuer-metadata-invalid': failure('issuer', 'authorization-server'),
  'issuer-mismatch': failure('issuer', 'authorization-server'),
  'issuer-slash': warning('issuer', 'server'),
  'pkce-missing': failure('issuer', 'authorization-server'),
  'capability-missing': failure('issuer', 'authorization-server'),
  'resource-not-listed': failure('issuer', 'authorization-server'),
  'endpoint-refused': failure('issuer', 'authorization-server'),
  'first-address-broken': note('issuer', 'authorization-server'),
  'issuer-metadata-differs': warning('issuer', 'authorization-server'),
  'issuer-metadata-unsteady': failure('issuer', 'authorization-server'),
  'iss-not-announced': note('issuer', 'authorization-server'),
  'document-flag-text': warning('issuer', 'authorization-server'),
  'refresh-not-listed': note('issuer', 'authorization-server'),
  'public-clients-not-listed': note('issuer', 'authorization-server'),
  'no-revocation': note('issuer', 'authorization-server'),
  'login-page-elsewhere': note('issuer', 'authorization-server'),
  'no-way-to-register': failure('client', 'you', exitCode.usage),
  'family-entra': note('client', 'you'),
  'family-google': note('client', 'you'),
  'registration-refused': failure('client', 'authorization-server', exitCode.refused),
  'redirect-refused': failure('client', 'you', exitCode.refused),
  'registration-invalid': failure('client', 'authorization-server'),
  'registration-redirected': failure('client', 'authorization-server'),
  'registration-failed': failure('client', 'authorization-server', exitCode.network),
  'registration-with-secret': warning('client', 'authorization-server'),
  'registration-method-changed': warning('client', 'authorization-server'),
  'registration-not-native': note('client', 'authorization-server'),
  'registered-too-often': failure('client', 'you', exitCode.refused),
  'client-refused': failure('request', 'authorization-server', exitCode.refused),
  'own-client-refused': failure('request', 'you', exitCode.refused),
  'client-left': note('client', 'you'),
  'request-refused': failure('request', 'authorization-server', exitCode.refused),
  'request-invalid': failure('request', 'authorization-server'),
  'request-redirected': failure('request', 'authorization-server'),
  'request-failed': failure('request', 'authorization-server', exitCode.network),
  'request-too-long': failure('request', 'server'),
  'no-login-possible-here': failure('request', 'you', exitCode.loginNeeded),
  'login-failed': failure('request', 'you', exitCode.usage),
  'device-not-offered': failure('request', 'you', exitCode.usage),
  'nobody-answered': failure('response', 'you', exitCode.loginNeeded),
  'login-denied': failure('response', 'you', exitCode.refused),
  'login-refused': failure('response', 'authorization-server', exitCode.refused),
  'scope-unknown': failure('response', 'server', exitCode.refused),
  'resource-unknown': failure('response', 'authorization-server', exitCode.refused),
  'state-not-returned': failure('response', 'authorization-server'),
  'iss-wrong': failure('response', 'authorization-server'),
  'iss-missing': failure('response', 'authorization-server'),
  'response-invalid': failure('response', 'authorization-server'),
  'link-taken-twice': failure('response', 'you', exitCode.refused),
  'code-not-redeemed': failure('redeem', 'authorization-server', exitCode.refused),
  'token-invalid': failure('redeem', 'authorization-server'),
  'token-type-unusable': failure('redeem', 'authorization-server'),
  'token-endpoint-redirected': failure('redeem', 'authorization-server'),
  'token-endpoint-failed': failure('redeem', 'authorization-server', exitCode.network),
  'audience-wrong': failure('redeem', 'authorization-server'),
  'audience-other': note('redeem', 'authorization-server'),
  'lifetime-unknown': note('redeem', 'authorization-server'),
  'lifetime-invalid': warning('redeem', 'authorization-server'),
  'lifetime-short': warning('redeem', 'authorization-server'),
  'lifetime-long': note('redeem', 'authorization-server'),
  'scope-narrower': warning('redeem', 'authorization-server'),
  'scope-wider': warning('redeem', 'authorization-server'),
  'no-refresh-token': note('redeem', 'authorization-server'),
  'stored-login-dead': failure('token', 'you', exitCode.loginNeeded),
  'token-refused': failure('token', 'server', exitCode.refused),
  'token-forbidden': failure('token', 'server', exitCode.refused),
  'token-breaks-server': failure('token', 'server', exitCode.network),
  'token-not-taken': failure('token', 'server'),
  'token-redirected': failure('token', 'server'),
  'session-invalid': failure('token', 'server'),
  'scope-not-challenged': warning('token', 'server'),
  'scope-treadmill': failure('token', 'server'),
  'scope-challenge-elsewhere': failure('token', 'server'),
  'scope-challenge-incomplete': warning('token', 'server'),
  'foreign-token-taken': { ...failure('token', 'server'), isUnsafe: true },
  'tokens-not-bound': note('token', 'authorization-server'),
  'refresh-failed': warning('token', 'authorization-server'),
  'refresh-not-rotated': warning('token', 'authorization-server'),
  'revocation-failed': warning('token', 'authorization-server'),
  'revocation-without-effect': warning('token', 'authorization-server'),
  'token-outlives-revocation': note('token', 'server'),
  'tokens-left': note('token', 'you'),
  'revision-unknown': failure('protocol', 'server'),
  'discover-invalid': warning('protocol', 'server'),
  'list-asks': warning('protocol', 'server'),
  'tool-marks-broken': warning('protocol', 'server'),
  'protocol-broken': warning('protocol', 'server'),
  'dpop-not-offered': failure('issuer', 'authorization-server'),
  'dpop-algorithm-not-taken': warning('resource', 'server'),
  'dpop-not-bound': warning('redeem', 'authorization-server'),
  'dpop-binding-missing': failure('token', 'authorization-server'),
  'dpop-proof-refused': failure('redeem', 'authorization-server'),
  'dpop-refused-by-server': failure('token', 'server'),
  'dpop-clock-off': warning('token', 'server'),
  'id-jag-not-listed': failure('issuer', 'authorization-server'),
  'provider-unreachable': failure('provider', 'company', exitCode.network),
  'provider-metadata-unusable': failure('provider', 'company'),
  'provider-exchanges-nothing': failure('provider', 'company'),
  'provider-refresh-not-listed': note('provider', 'company'),
  'provider-login-ended': failure('provider', 'you', exitCode.loginNeeded),
  'id-token-unusable': failure('provider', 'you', exitCode.loginNeeded),
  'id-jag-unusable': failure('redeem', 'company'),
  'provider-refused': failure('redeem', 'company', exitCode.refused),
  'provider-failed': failure('redeem', 'company', exitCode.network),
  'id-jag-refused': failure('redeem', 'authorization-server', exitCode.refused),
  'node-ended': warning('program', 'you'),
  'node-insecure': warning('program', 'you'),
  'configuration-unusable': failure('configuration', 'you', exitCode.usage),
  'environment-noted': note('network', 'you'),
  'debug-prints-secrets': warning('network', 'you'),
  'authorities-unreadable': failure('network', 'you', exitCode.usage),
  'state-unusable': failure('state', 'you', exitCode.usage),
  'store-loses-items': failure('store', 'you', exitCode.store),
  'store-broken': failure('store', 'you', exitCode.store),
  'browser-missing': note('browser', 'you'),
  'callback-refused': failure('callback', 'you', exitCode.network),
  'clock-set-back': warning('clock', 'you'),
  'login-broken': warning('logins', 'you', exitCode.loginNeeded),
  'program-not-served': failure('programs', 'you', exitCode.usage),
  'store-unavailable': failure('machine', 'you', exitCode.store),
} as const satisfies Readonly<Record<string, FindingFacts>>;

export type FindingId = keyof typeof findings;

export type Catalogue = Readonly<Record<FindingId, FindingKind>>;

/** Is it the id of a finding? */
export function isFindingId(text: string): text is FindingId {
  return Object.hasOwn(findings, text);
}

const section = /^([\w-]+): ([^\n]+)\n\n(.+)\n\nTo do: (.+)\n\nSource: (.+)$/s;

/** The findings with their words, in the order of the page. */
export function readCatalogue(page: string): Catalogue {
  const kinds = page.split('\n## ').flatMap((part) => {
    const [, id = '', ...words] = section.exec(part.trim()) ?? [];
    const [title = '', explanation = '', remedy = '', source = ''] = words.map((text) => text.replaceAll('\n', ' '));
    return isFindingId(id) ? [[id, { ...findings[id], title, remedy, source, explanation }] as const] : [];
  });
  return Object.fromEntries(kinds) as Catalogue;
}

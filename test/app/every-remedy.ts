import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { Failure } from '../../src/core/failure.js';

const server = 'https://example.com/mcp?a=1;b';
const login = { name: 'work', server, account: 'home', scopes: ['a'], issuer: 'https://as.example' };
/** One that somebody has typed with an option. */
export const asked = { ...login, given: [{ text: '--timeout 60', yieldsTo: ['--timeout'] }] };
const unnamed = { ...login, name: undefined, grant: 'client_credentials', askedScopes: ['a', 'b'] } as const;
const failure = new Failure({ code: 'denied', exit: 4, message: 'It said no.', remedy: 'Try again.' });
const trouble = { host: 'h.example', port: 443, code: 'ENOTFOUND', namedBy: 'person', phase: 'lookup' };

/** What to call the makers of failures with, by the names of their parameters; of several, each is tried. */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  account: ['home'],
  accounts: [['home', 'work']],
  address: ['0.0.0.0'],
  all: [['work', 'home']],
  response: ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_target', 'invalid_scope'].map(
    (error) => ({ status: 400, error, said: 'no' }),
  ),
  argument: ['x'],
  asked: ['https://as.example'],
  askedMs: [300_000],
  backup: ['/home/a/b'],
  before: ['https://as.example'],
  by: ['build-7, process 12'],
  bytes: [9],
  cause: [failure],
  client: ['dynamic', 'metadata', 'preregistered', 'ask'].flatMap((way) =>
    [true, false].map((flag) => ({
      way,
      isKept: flag,
      hasFixedPort: flag,
      redirectUri: 'http://127.0.0.1:7000/callback',
      otherRedirect: 'postern login work --redirect-uri http://localhost/callback',
    })),
  ),
  clientId: ['a-client'],
  code: ['ENOENT', 'EACCES', 'ENOSPC', 'EPIPE', 'EADDRINUSE'],
  command: ['x.cmd', 'x'],
  damaged: [true, false],
  denial: ['wrong', 'needed', 'not_asked', 'rights'],
  descriptor: [3],
  detail: [undefined, 'denied', 'unanswered'],
  during: ['reading', 'writing'],
  about: [true, false].flatMap((isAsked) => [login, asked].map((one) => ({ login: one, asked: isAsked }))),
  endpoints: [{ issuer: 'https://as.example', before: 'https://a.example/t', now: 'https://b.example/t' }],
  example: ['text=hello'],
  entries: ['work', 'work --project'].map((words) => [{ words, path: '/home/a/b' }]),
  error: ['access_denied', 'consent_required', 'unauthorized_client', 'invalid_scope', 'server_error'],
  failure: [failure],
  first: [17_300],
  files: [['/home/a/b']],
  folder: ['/home/a/b c'],
  forced: [true, false],
  format: ['git', 'headers'],
  found: ['none'],
  header: ['x'],
  held: [login, unnamed],
  help: ['postern help login'],
  holder: [undefined, '"nc" (process 1)'],
  host: ['h.example'],
  hosts: [['cursor', 'warp'], []],
  how: ['ended with 1'],
  isLocked: [true, false],
  isLegacy: [true, false],
  isTls: [true, false],
  issuer: ['https://as.example'],
  key: ['postern/default/h/access'],
  known: [['https://idp.example'], []],
  keychain: ['gnome-keyring', 'kwallet', 'keepassxc', 'other', 'none', 'darwin', 'win32'],
  kind: ['private', 'loopback', 'forbidden'],
  last: [17_363],
  left: [1],
  isRejected: [true, false],
  leftMs: [60_000],
  label: ['Redis at cache.example:6380'],
  length: [9000],
  likelyName: [undefined, 'work'],
  limit: [1],
  line: [3, undefined],
  limitMs: [5000],
  waitedMs: [10_000],
  which: ['readers', 'refreshers'],
  login: [login, unnamed, asked],
  maxBytes: [9],
  meant: [undefined, 'claude work'],
  max: [3],
  mebibytes: [9],
  message: ['It cannot be.'],
  method: ['tools/list'],
  milliseconds: [5000],
  missing: [['notes:write']],
  most: [3],
  name: ['work'],
  named: [['https://as.example']],
  namedBy: ['person', 'public', 'private', 'loopback'],
  names: [[], ['work']],
  near: [undefined, 'server-401-always'],
  now: [login],
  operation: ['get'],
  option: ['--scope'],
  other: ['--name'],
  path: ['/home/a/b c'],
  platform: ['linux', 'darwin', 'win32'],
  port: [7000],
  problem: ['x'],
  program: ['claude'],
  provider: ['https://idp.example'],
  proxy: ['h.example:3128'],
  raw: ['https://h.example'],
  otherAddress: [undefined, 'Try another one: postern login work --redirect-uri http://localhost/callback'],
  redirectUri: ['http://127.0.0.1:7000/callback'],
  refusal: [failure],
  remedy: ['Try again.'],
  resource: [server],
  result: [
    { problem: 'refused', status: 400, error: 'invalid_scope', said: '' },
    { problem: 'transient', status: 500 },
    { problem: 'unusable', why: 'x' },
  ],
  retryAfterMs: [undefined, 5000],
  said: ['no', ''],
  scopes: [['notes:write', 'x']],
  sealed: [true, false],
  seconds: [9],
  server: [server],
  servers: [[server, 'https://example.com/other']],
  setting: ['HTTPS_PROXY'],
  site: ['https://other.example'],
  source: ['stdin'],
  since: [1_700_000_000_000],
  status: [400, 401, 403, 404, 429, 500],
  store: ['keychain', 'file'],
  target: [server],
  timeoutMs: [300_000, 10_000],
  title: ['Claude Code'],
  tool: ['add'],
  tools: [['add'], []],
  tried: ['x'],
  trouble: [trouble],
  unreadable: [failure],
  url: [server],
  value: ['x'],
  variable: ['POSTERN_STATE_DIR'],
  wanted: [['notes:write']],
  wantedMs: [300_000],
  way: ['dynamic', 'passphrase', 'file', 'credential'],
  what: ['x'],
  whenPageFails: ['Does the page show an error?'],
  when: ['now', 'earlier'],
  where: ['/home/a/b'],
  why: ['x'],
  withBrowser: [true, false],
  word: ['x'],
  words: [['work']],
};

/** Where a parameter means something of its own. */
const own: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  callRefused: { error: [-32_601, 0].map((code) => ({ code, message: 'no' })) },
  assertionUnusable: {
    about: (['form', 'time', 'audience'] as const).map((problem) => ({ problem, why: 'x', found: 'y' })),
    audience: ['https://as.example'],
  },
  dpopGone: { who: ['https://as.example'] },
  dpopNotOffered: {
    about: [true, false].flatMap((byServer) =>
      [undefined, ['RS256']].map((listed) => ({ issuer: 'https://as.example', listed, byServer })),
    ),
  },
  isProofProblem: { error: ['use_dpop_nonce'] },
  proofRefused: {
    who: ['https://as.example'],
    about: (['use_dpop_nonce', 'invalid_dpop_proof'] as const).flatMap((problem) =>
      [undefined, 600].map((skew) => ({ problem, skew, said: 'no' })),
    ),
  },
  tokenBound: { asked: ['postern token'], instead: [undefined, 'postern setup claude work --proxy'] },
  providerFailed: {
    failed: [
      { problem: 'refused', status: 400, error: 'access_denied', said: 'no' },
      { problem: 'transient', status: 503, retryAfterMs: undefined },
      { problem: 'unusable', why: 'x' },
    ],
  },
  providerRefused: {
    response: ['access_denied', 'invalid_grant', 'invalid_client', 'invalid_target', 'x', ''].map((error) => ({
      ...{ status: 400, error, said: 'no' },
    })),
  },
  idJagRefused: { failure: [new Failure({ code: 'invalid_grant', exit: 4, message: 'No.', remedy: 'Try again.' })] },
  assertionRefused: { claims: [{ issuer: 'https://p.example', subject: 'job' }] },
  callTooLarge: { pieces: [undefined, { events: 1, costOfEvent: 1, lines: 1, costOfLine: 1 }] },
  authorizationServerNotNamed: { wanted: ['https://other.example'] },
  parameterUnknown: { 0: [[], ['text']].map((names) => ({ tool: 'echo', name: 'txet', names })) },
  valueRefused: { 0: [{ name: 'n', text: 'x', takes: 'a number' }] },
  clientSecretLost: { why: [undefined, failure] },
  deviceFlowMissing: { login: [login, asked] },
  deviceGrantRefused: { login: [login, asked] },
  tooManyTabs: { login: [login, asked] },
  indexUnusable: { problem: ['corrupt', 'newer', 'unsafe', 'too_large', 'full'] },
  isOutOfFiles: { error: [failure] },
  withServerWords: { error: [failure] },
  loginChanged: { named: ['work'], now: [login] },
  loginNeeded: { meant: [login, { server }, { server: 'x' }, { server, account: 'home' }] },
  networkFailed: { trouble: [trouble, { ...trouble, proxyTo: 'a.example:443' }] },
  programUnknown: { name: ['clude'], meant: [undefined, 'claude'] },
  registrationRefused: {
    0: [undefined, 'Other'].flatMap((name) =>
      ['access_denied', 'x'].map((error) => ({ error, said: 'no', name, otherAddress: undefined })),
    ),
  },
  noProtectedResourceMetadata: { tried: ['x', '"https://h.example" (status 403)'] },
  redirectRefused: { detail: [{ from: server, status: 307, to: undefined, why: 'x' }] },
  scopeNotGranted: { held: [['mcp:basic']] },
  serverNotThere: { all: [['work']] },
  storeUnavailable: { why: ['no_collection', 'no_service', 'ended', 'no_bus', 'no_bus_named', 'no_package'] },
  withDocumentRemedy: {
    document: ['--redirect-port 17873 or --redirect-uri http://localhost:17873/callback', undefined].map(
      (redirect) => ({ url: 'https://client.example/c.json', redirect, otherWay: '--registration dynamic' }),
    ),
  },
  portInUse: {
    at: [
      { host: 'localhost', address: '::1' },
      { host: '127.0.0.1', address: '127.0.0.1' },
    ],
  },
  resourceNotTaken: {
    0: [
      { resource: 'https://example.com/mcp', command: 'postern login work --no-resource' },
      { resource: undefined, command: 'postern login work --resource AS_SPELLED' },
    ],
  },
  redirectUriNotTaken: { command: ['postern login work --redirect-uri http://localhost/callback'] },
  noBrowserHere: {
    login: [login, asked],
    0: [true, false].flatMap((canOpen) => ['login', 'other'].map((of) => ({ why: 'CI=true', canOpen, of }))),
  },
  noCommonRevision: { theirs: [[], ['2031-01-01']], ours: [['2026-07-28']] },
  notForgotten: { 0: [failure] },
  engineUnreachable: {
    cause: ['network_failed', 'tls_failed'].map(
      (code) => new Failure({ code, exit: 6, message: '"h.example:1" is away.', remedy: 'Try again.' }),
    ),
  },
  notConfirmed: {
    deed: ['end 6 logins'],
    names: [['work'], ['a', 'b', 'c', 'd', 'e', 'f']],
    command: ['postern logout --all --yes', 'postern login --from cursor --all --yes'],
  },
};

export interface Told {
  readonly file: string;
  readonly maker: string;
  readonly remedy: string;
  /** Undefined where the maker makes a text alone. */
  readonly failure: Failure | undefined;
  /** Was it made for the login that somebody has typed with an option? */
  readonly isOfAsked: boolean;
}

/** The remedy of every failure that there is, made with every sample. */
export async function everyRemedy(): Promise<readonly Told[]> {
  const folder = new URL('../../src/', import.meta.url);
  const told: Told[] = [];
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((each) => each.endsWith('failures.js'))) {
    const made: Readonly<Record<string, unknown>> = await import(new URL(name, folder).href);
    for (const [maker, make] of Object.entries(made)) {
      if (typeof make !== 'function' || /^class\b/.test(String(make))) continue;
      const file = name.replace('.js', '').replaceAll('\\', '/');
      for (const given of argumentsOf(maker, make)) {
        const about = { file, maker, isOfAsked: given.some(isOfAsked) };
        const result = madeBy(maker, make as (...given: readonly unknown[]) => unknown, given);
        if (result instanceof Failure) told.push({ ...about, remedy: result.remedy, failure: result });
        else if (typeof result === 'string') told.push({ ...about, remedy: result, failure: undefined });
      }
    }
  }
  return told;
}

const isOfAsked = (sample: unknown): boolean => JSON.stringify(sample ?? null).includes(JSON.stringify(asked.given));

function madeBy(maker: string, make: (...given: readonly unknown[]) => unknown, given: readonly unknown[]): unknown {
  try {
    return make(...given);
  } catch (error) {
    throw new Error(`give this test other samples for ${maker} (${String(error)})`);
  }
}

/** Every sample of every parameter once, the others being the first; with the login that was typed, too. */
function argumentsOf(maker: string, make: unknown): readonly (readonly unknown[])[] {
  const inside = /\(([\s\S]*?)\)\s*\{/.exec(String(make))?.[1] ?? '';
  // One that is taken apart has no name: it goes by "0".
  const names = inside
    .replace(/\{[^}]*\}/g, '0')
    .split(',')
    .map((name) => name.replace(/=.*/s, '').trim())
    .filter((name) => name !== '');
  const lists = names.map((name) => {
    const namesNone = !/postern |--[a-z]|loginCommand|loginArgument/.test(String(make));
    const list = own[maker]?.[name] ?? samples[name] ?? (namesNone ? ['x'] : undefined);
    assert.ok(list, `give this test samples for the parameter "${name}" of ${maker}`);
    return list;
  });
  const first = lists.map(([sample]) => sample);
  const ofAsked = lists.map((list) => list.find(isOfAsked) ?? list[0]);
  const each = (usual: readonly unknown[]) => [
    usual,
    ...lists.flatMap((list, at) => list.slice(1).map((sample) => usual.with(at, sample))),
  ];
  return [...each(first), ...(ofAsked.some(isOfAsked) ? each(ofAsked) : [])];
}

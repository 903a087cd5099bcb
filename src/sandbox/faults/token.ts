import { jsonResponse } from '../wire/response.js';
import {
  type Fault,
  gzipBomb,
  html,
  insteadFault,
  type JsonObject,
  jsonFault,
  jsonOf,
  redirect,
  slowJson,
  successFault,
  withHeader,
  withText,
} from './fault.js';

const point = 'token';

/** F: what the token endpoint responds, to a code and to a refresh token alike. */
export function tokenFaults(): readonly Fault[] {
  return [...kinds(), ...values(), ...lifetimes(), ...scopes(), ...shapes(), ...refusals()];
}

function kinds(): readonly Fault[] {
  return [
    set('token-type-mac', [116], 'token_type is mac', () => ({ token_type: 'mac' })),
    set('token-type-missing', [116], 'no token_type', () => ({ token_type: undefined })),
    set('token-type-space', [116], 'token_type is "Bearer "', () => ({ token_type: 'Bearer ' })),
    set('token-lowercase-type', [116], 'token_type is bearer, which is right', () => ({ token_type: 'bearer' })),
  ];
}

function values(): readonly Fault[] {
  return [
    set('token-missing', [117], 'no access_token', () => ({ access_token: undefined })),
    set('token-empty', [117], 'access_token is empty', () => ({ access_token: '' })),
    set('token-array', [117], 'access_token is a list', ({ access_token }) => ({ access_token: [access_token] })),
    set('token-bad-chars', [118], 'access_token with a line break', () => ({ access_token: 'canary\r\nX-Evil: 1' })),
    set('token-not-ascii', [118], 'access_token with a typographic quote', () => ({ access_token: 'canary\u2019' })),
    set('token-huge', [119], 'access_token of a megabyte', () => ({ access_token: 'x'.repeat(1_048_576) })),
    set('token-long', [119], 'access_token of 20 KB', () => ({ access_token: 'x'.repeat(20_000) })),
    set('token-refresh-empty', [125], 'refresh_token is empty', () => ({ refresh_token: '' })),
    set('token-refresh-number', [125], 'refresh_token is a number', () => ({ refresh_token: 1 })),
    set('token-other-audience', [129], 'a JWT for another resource', ({ access_token }) => ({
      access_token: forAnother(String(access_token)),
    })),
    set('token-extra', [127, 133], 'thousands of unknown members', () => ({
      id_token: 'eyJhbGciOiJub25lIn0.e30.',
      ...Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`extra${at}`, at])),
    })),
  ];
}

function lifetimes(): readonly Fault[] {
  return [
    set('token-expires-string', [123], 'expires_in is a string', () => ({ expires_in: '3600' })),
    set('token-expires-negative', [123], 'expires_in is -1', () => ({ expires_in: -1 })),
    set('token-expires-huge', [123, 150], 'expires_in is 1e308', () => ({ expires_in: 1e308 })),
    set('token-expires-garbage', [123], 'expires_in is no number', () => ({ expires_in: '3600abc' })),
    set('token-expires-missing', [123], 'no expires_in', () => ({ expires_in: undefined })),
  ];
}

function scopes(): readonly Fault[] {
  return [
    set('token-scope-narrower', [124], 'less scope than asked for', () => ({ scope: 'mcp:basic' })),
    set('token-scope-wider', [124], 'more scope than asked for', ({ scope }) => ({
      scope: `${scope ?? ''} admin`.trim(),
    })),
    set('token-scope-absent', [124], 'no scope, though granted as asked', () => ({ scope: undefined })),
    set('token-scope-array', [124], 'scope is a list', () => ({ scope: ['mcp:basic'] })),
    set('token-scope-control', [124], 'scope with a control character', () => ({ scope: 'mcp:basic\u001b[2J' })),
  ];
}

function shapes(): readonly Fault[] {
  return [
    successFault(point, { name: 'token-html', rows: [121], what: '200 with a page' }, (_exchange, response) =>
      html(200, `<p>access_token=${jsonOf(response)['access_token']}</p>`),
    ),
    successFault(
      point,
      { name: 'token-form-encoded', rows: [121], what: '200 with a form-encoded body' },
      (_exchange, reply) =>
        withHeader(
          withText(reply, new URLSearchParams(strings(jsonOf(reply))).toString()),
          'content-type',
          'application/x-www-form-urlencoded',
        ),
    ),
    successFault(point, { name: 'token-duplicate-keys', rows: [121], what: 'access_token twice' }, (_exchange, reply) =>
      withText(reply, JSON.stringify(jsonOf(reply)).replace(/}$/, ',"access_token":"second"}')),
    ),
    successFault(point, { name: 'token-trailing', rows: [121], what: 'bytes after the JSON' }, (_exchange, reply) =>
      withText(reply, `${JSON.stringify(jsonOf(reply))} trailing`),
    ),
    jsonFault(point, { name: 'token-error-200', rows: [122], what: '200 with an error in it' }, (reply) => ({
      ...reply,
      error: 'invalid_grant',
      error_description: 'no',
    })),
    insteadFault(point, { name: 'token-slow', rows: [120, 254], what: 'a byte now and then' }, slowJson),
    insteadFault(point, { name: 'token-bomb', rows: [120, 253], what: '50 KB that unpack to 50 MB' }, gzipBomb),
  ];
}

function refusals(): readonly Fault[] {
  return [
    insteadFault(
      point,
      { name: 'token-redirect-307', rows: [126], what: '307 to another address here' },
      ({ addresses }) => redirect(307, `${addresses.authorizationOrigin}/stolen-token`),
    ),
    insteadFault(
      point,
      { name: 'token-redirect-302-elsewhere', rows: [126], what: '302 to another origin' },
      ({ addresses }) => redirect(302, `${addresses.serverOrigin}/stolen-token`),
    ),
    insteadFault(point, { name: 'token-429', rows: [132], what: '429 with an absurd Retry-After' }, () =>
      jsonResponse(429, { error: 'slow_down' }, [['retry-after', '1000000000']]),
    ),
    insteadFault(point, { name: 'token-500', rows: [122, 142], what: '500 with a page' }, () =>
      html(500, '<h1>oops</h1>'),
    ),
    insteadFault(point, { name: 'token-400-empty', rows: [122], what: '400 with nothing in it' }, () => html(400, '')),
    insteadFault(point, { name: 'token-hostile-error', rows: [128], what: 'an error aimed at the terminal' }, () =>
      jsonResponse(400, {
        error: 'invalid_grant',
        error_description: `\u001b[2J\u001b]52;c;b3duZWQ=\u0007Enter your password:${' '.repeat(9999)}`,
      }),
    ),
  ];
}

function set(name: string, rows: readonly number[], what: string, change: (token: JsonObject) => JsonObject): Fault {
  return jsonFault(point, { name, rows, what }, (token) => ({ ...token, ...change(token) }));
}

function forAnother(token: string): string {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8') || '{}') as JsonObject;
  const changed = Buffer.from(JSON.stringify({ ...claims, aud: 'https://another.invalid/mcp' })).toString('base64url');
  return `${head}.${changed}.${signature}`;
}

function strings(document: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, String(value)]));
}

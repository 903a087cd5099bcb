import { jsonResponse } from '../wire/response.js';
import {
  type Fault,
  faultsAt,
  gzipBomb,
  html,
  type JsonObject,
  jsonOf,
  reclaimed,
  redirect,
  slowJson,
  withHeader,
  withText,
} from './fault.js';

const { patch, success, instead } = faultsAt('token');

/** F: what the token endpoint responds, to a code and to a refresh token alike. */
export function tokenFaults(): readonly Fault[] {
  return [...kinds(), ...values(), ...lifetimes(), ...scopes(), ...shapes(), ...refusals()];
}

function kinds(): readonly Fault[] {
  return [
    patch('token-type-mac', [116], 'token_type is mac', () => ({ token_type: 'mac' })),
    patch('token-type-missing', [116], 'no token_type', () => ({ token_type: undefined })),
    patch('token-type-space', [116], 'token_type is "Bearer "', () => ({ token_type: 'Bearer ' })),
    patch('token-lowercase-type', [116], 'token_type is bearer, which is right', () => ({ token_type: 'bearer' })),
  ];
}

function values(): readonly Fault[] {
  return [
    patch('token-missing', [117], 'no access_token', () => ({ access_token: undefined })),
    patch('token-empty', [117], 'access_token is empty', () => ({ access_token: '' })),
    patch('token-array', [117], 'access_token is a list', ({ access_token }) => ({ access_token: [access_token] })),
    patch('token-bad-chars', [118], 'access_token with a line break', () => ({ access_token: 'canary\r\nX-Evil: 1' })),
    patch('token-not-ascii', [118], 'access_token with a typographic quote', () => ({ access_token: 'canary\u2019' })),
    patch('token-huge', [119], 'access_token of a megabyte', () => ({ access_token: 'x'.repeat(1_048_576) })),
    patch('token-long', [119], 'access_token of 20 KB', () => ({ access_token: 'x'.repeat(20_000) })),
    patch('token-refresh-empty', [125], 'refresh_token is empty', () => ({ refresh_token: '' })),
    patch('token-refresh-number', [125], 'refresh_token is a number', () => ({ refresh_token: 1 })),
    patch('token-other-audience', [129], 'a JWT for another resource', ({ access_token }) => ({
      access_token: reclaimed(String(access_token), () => ({ aud: 'https://another.invalid/mcp' })),
    })),
    patch('token-extra', [127, 133], 'thousands of unknown members', () => ({
      id_token: 'eyJhbGciOiJub25lIn0.e30.',
      ...Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`extra${at}`, at])),
    })),
  ];
}

function lifetimes(): readonly Fault[] {
  return [
    patch('token-expires-string', [123], 'expires_in is a string', () => ({ expires_in: '3600' })),
    patch('token-expires-negative', [123], 'expires_in is -1', () => ({ expires_in: -1 })),
    patch('token-expires-huge', [123, 150], 'expires_in is 1e308', () => ({ expires_in: 1e308 })),
    patch('token-expires-garbage', [123], 'expires_in is no number', () => ({ expires_in: '3600abc' })),
    patch('token-expires-missing', [123], 'no expires_in', () => ({ expires_in: undefined })),
  ];
}

function scopes(): readonly Fault[] {
  return [
    patch('token-scope-narrower', [124], 'less scope than asked for', () => ({ scope: 'mcp:basic' })),
    patch('token-scope-wider', [124], 'more scope than asked for', ({ scope }) => ({
      scope: `${scope ?? ''} admin`.trim(),
    })),
    patch('token-scope-absent', [124], 'no scope, though granted as asked', () => ({ scope: undefined })),
    patch('token-scope-array', [124], 'scope is a list', () => ({ scope: ['mcp:basic'] })),
    patch('token-scope-control', [124], 'scope with a control character', () => ({ scope: 'mcp:basic\u001b[2J' })),
  ];
}

function shapes(): readonly Fault[] {
  return [
    success('token-html', [121], '200 with a page', (_exchange, response) =>
      html(200, `<p>access_token=${jsonOf(response)['access_token']}</p>`),
    ),
    success('token-form-encoded', [121], '200 with a form-encoded body', (_exchange, reply) =>
      withHeader(
        withText(reply, new URLSearchParams(strings(jsonOf(reply))).toString()),
        'content-type',
        'application/x-www-form-urlencoded',
      ),
    ),
    success('token-duplicate-keys', [121], 'access_token twice', (_exchange, reply) =>
      withText(reply, JSON.stringify(jsonOf(reply)).replace(/}$/, ',"access_token":"second"}')),
    ),
    success('token-trailing', [121], 'bytes after the JSON', (_exchange, reply) =>
      withText(reply, `${JSON.stringify(jsonOf(reply))} trailing`),
    ),
    patch('token-error-200', [122], '200 with an error in it', () => ({
      error: 'invalid_grant',
      error_description: 'no',
    })),
    instead('token-slow', [120, 254], 'a byte now and then', slowJson),
    instead('token-bomb', [120, 253], '50 KB that unpack to 50 MB', gzipBomb),
  ];
}

function refusals(): readonly Fault[] {
  return [
    instead('token-redirect-307', [126], '307 to another address here', ({ addresses }) =>
      redirect(307, `${addresses.authorizationOrigin}/stolen-token`),
    ),
    instead('token-redirect-302-elsewhere', [126], '302 to another origin', ({ addresses }) =>
      redirect(302, `${addresses.serverOrigin}/stolen-token`),
    ),
    instead('token-429', [132], '429 with an absurd Retry-After', () =>
      jsonResponse(429, { error: 'slow_down' }, [['retry-after', '1000000000']]),
    ),
    instead('token-500', [122, 142], '500 with a page', () => html(500, '<h1>oops</h1>')),
    instead('token-400-empty', [122], '400 with nothing in it', () => html(400, '')),
    instead('token-hostile-error', [128], 'an error aimed at the terminal', () =>
      jsonResponse(400, {
        error: 'invalid_grant',
        error_description: `\u001b[2J\u001b]52;c;b3duZWQ=\u0007Enter your password:${' '.repeat(9999)}`,
      }),
    ),
  ];
}

function strings(document: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(document).map(([name, value]) => [name, String(value)]));
}

import { exitCode } from '../../core/failure.js';
import type { FindingKind } from '../finding.js';

/** What becomes of a token: at the server, when it is refreshed, and when it is revoked. */
export const tokenFindings = {
  'token-refused': {
    level: 'failure',
    step: 'token',
    who: 'server',
    exit: exitCode.refused,
    title: 'the server refuses a token that was just issued for it',
    remedy: 'Ask the operator to check what the server validates: issuer, audience, signing keys, and its own clock.',
    source: 'RFC 6750 section 3.1, invalid_token; RFC 9068 section 4',
    explanation:
      'A token seconds old, made out for this very resource, gets a 401. Programs would log in again and again.',
  },
  'token-forbidden': {
    level: 'failure',
    step: 'token',
    who: 'server',
    exit: exitCode.refused,
    title: 'the server forbids the first request with a fresh token, and does not say why',
    remedy:
      'Ask the operator whether your account may use the server; where a scope is missing, the 403 has to name it: WWW-Authenticate: Bearer error="insufficient_scope", scope="…".',
    source: 'RFC 6750 section 3.1, insufficient_scope',
    explanation:
      'A 403 without a challenge leaves a program nothing to do. A firewall before the server looks like this, too.',
  },
  'token-breaks-server': {
    level: 'failure',
    step: 'token',
    who: 'server',
    exit: exitCode.network,
    title: 'the server fails on a request with a valid token',
    remedy: 'Ask the operator to look into its log: validating the token fails there.',
    source: 'RFC 9110 section 15.6, Server Error 5xx',
    explanation:
      'Often the server cannot fetch the authorization server’s keys, or a claim that it wants is not in the token.',
  },
  'token-not-taken': {
    level: 'failure',
    step: 'token',
    who: 'server',
    title: 'the server does not respond as a protocol server to a request with a valid token',
    remedy: 'Ask the operator; check that the address is that of the protocol endpoint.',
    source: 'MCP, Streamable HTTP',
    explanation:
      'The token is not the trouble, as it is neither refused nor forbidden; and no response of the protocol comes.',
  },
  'token-redirected': {
    level: 'failure',
    step: 'token',
    who: 'server',
    title: 'the server redirects a request that carries a token',
    remedy: 'Log in to the address that it redirects to, if you trust that; else ask the operator to respond itself.',
    source: 'RFC 6750 section 5.3, Summary of Recommendations',
    explanation:
      'A token goes to the address that it was issued for, and nowhere else. No redirect is followed with it.',
  },
  'session-invalid': {
    level: 'failure',
    step: 'token',
    who: 'server',
    title: 'the session identifier has characters that it must not have',
    remedy: 'Ask the operator to make it of visible ASCII characters.',
    source: 'MCP, Streamable HTTP, Session Management',
    explanation: 'The identifier is sent back as a header with each request. Other characters break that header.',
  },
  'scope-not-challenged': {
    level: 'warning',
    step: 'token',
    who: 'server',
    title: 'the first request wants more scope than the login asks for',
    remedy: 'Ask the operator to name that scope in the 401’s challenge; until then add it with --scope.',
    source: 'MCP authorization, Scope Challenge Handling',
    explanation: 'Right after a login, programs have to ask the person a second time. Many do not, and fail.',
  },
  'scope-treadmill': {
    level: 'failure',
    step: 'token',
    who: 'server',
    title: 'the server wants another scope each time',
    remedy: 'Ask the operator to name all the scopes that an operation needs in one challenge.',
    source: 'MCP authorization, Scope Challenge Handling',
    explanation: 'The same request was refused twice, for another scope each time. A person would be asked for ever.',
  },
  'scope-challenge-elsewhere': {
    level: 'failure',
    step: 'token',
    who: 'server',
    title: 'a 403 points to the metadata of another server',
    remedy: 'Ask the operator to name the same resource_metadata as in the 401.',
    source: 'RFC 9728 section 5.1, WWW-Authenticate Response',
    explanation: 'A program that follows it would ask for a token at somebody else’s authorization server.',
  },
  'scope-challenge-incomplete': {
    level: 'warning',
    step: 'token',
    who: 'server',
    title: 'a 403 for a missing scope does not say what is missing',
    remedy: 'Ask the operator to send error="insufficient_scope", scope="…" and resource_metadata="…".',
    source: 'MCP authorization, Runtime Insufficient Scope Errors; RFC 6750 section 3.1',
    explanation: 'With all three a program can ask the person for exactly that scope, and go on.',
  },
  'foreign-token-taken': {
    level: 'failure',
    isUnsafe: true,
    step: 'token',
    who: 'server',
    title: 'the server takes a token that is for another resource',
    remedy: 'Tell the operator at once: the audience of tokens is not checked.',
    source: 'RFC 9068 section 4, aud; MCP authorization, Access Token Usage',
    explanation:
      'Any server that people log in to at the same authorization server can use their tokens here, as them.',
  },
  'tokens-not-bound': {
    level: 'note',
    step: 'token',
    who: 'authorization-server',
    title: 'tokens are not made out for one resource',
    remedy: 'Ask its operator to honour the resource parameter, and to refuse resources that it does not know.',
    source: 'RFC 8707 section 2.2, Access Token Request',
    explanation:
      'It gave a token for a resource that does not exist, and this server took it. Whoever has a token of this authorization server can use it everywhere.',
  },
  'refresh-failed': {
    level: 'warning',
    step: 'token',
    who: 'authorization-server',
    title: 'the refresh token does not work',
    remedy: 'Ask its operator; what it says stands beside “seen”.',
    source: 'RFC 6749 section 6, Refreshing an Access Token',
    explanation:
      'The refresh token was issued a moment ago. People have to log in again whenever the token has run out.',
  },
  'refresh-not-rotated': {
    level: 'warning',
    step: 'token',
    who: 'authorization-server',
    title: 'a refresh token that was used is not replaced',
    remedy: 'Ask its operator to rotate refresh tokens of clients without a secret.',
    source: 'OAuth 2.1 section 4.3.1, Refresh Token Request; RFC 9700 section 2.2.2',
    explanation: 'A stolen refresh token stays good for as long as the login lasts, and nobody notices.',
  },
  'refresh-replay-taken': {
    level: 'warning',
    step: 'token',
    who: 'authorization-server',
    title: 'a refresh token is taken a second time',
    remedy: 'Ask its operator to refuse a refresh token that was replaced, and to end the login then.',
    source: 'RFC 9700 section 4.14.2, Refresh Token Protection',
    explanation:
      'Rotation finds a thief by the second use. Where the second use goes through, it finds nobody. Some allow it for some seconds on purpose, for programs that lost the response.',
  },
  'revocation-failed': {
    level: 'warning',
    step: 'token',
    who: 'authorization-server',
    title: 'the revocation does not work',
    remedy: 'Ask its operator to look into the revocation endpoint.',
    source: 'RFC 7009 section 2.2, Revocation Response',
    explanation: 'After a logout the tokens are gone from this machine, and remain valid until they run out.',
  },
  'revocation-without-effect': {
    level: 'warning',
    step: 'token',
    who: 'authorization-server',
    title: 'a token that was revoked still works',
    remedy: 'Ask its operator to end the tokens that are revoked, and those that came of them.',
    source: 'RFC 7009 section 2.1, Revocation Request',
    explanation: 'The endpoint said that the token is revoked, and the token is good for another one all the same.',
  },
  'token-outlives-revocation': {
    level: 'note',
    step: 'token',
    who: 'server',
    title: 'an access token lives on after its revocation',
    remedy: 'Nothing to do, where tokens last minutes; else ask the operators for shorter ones, or for introspection.',
    source: 'RFC 7009 section 3, Implementation Note',
    explanation:
      'A server that validates tokens by their signature does not hear of a revocation. They run out by themselves.',
  },
  'tokens-left': {
    level: 'note',
    step: 'token',
    who: 'you',
    title: 'tokens of this run could not be revoked',
    remedy:
      'Nothing to do: they were in memory alone, and run out by themselves. Or end the login at the authorization server.',
    source: 'RFC 7009, Token Revocation',
    explanation:
      'The login of this run is forgotten at its end. What could not be revoked stays valid until it runs out, and nobody has it.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

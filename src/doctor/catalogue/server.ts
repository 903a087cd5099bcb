import { exitCode } from '../../core/failure.js';
import type { FindingKind } from '../finding.js';

/** What the protected server says: its 401, its metadata, and what it does with bad tokens. */
export const serverFindings = {
  'server-failed': {
    level: 'failure',
    step: 'challenge',
    who: 'server',
    exit: exitCode.network,
    title: 'the server fails before it asks for a login',
    remedy: 'Try again later, or ask the server’s operator to look into its log.',
    source: 'RFC 9110 section 15.6, Server Error 5xx',
    explanation:
      'A server that wants a login responds 401 to a request without a token. This one responded with an error of its own, so nothing can be found out about its login.',
  },
  'login-not-needed': {
    level: 'note',
    step: 'challenge',
    who: 'you',
    title: 'the server needs no login',
    remedy: 'Call it directly, without a login.',
    source: 'MCP authorization, Protocol Requirements',
    explanation:
      'It responds without a token, and publishes nothing to log in with. `postern call` with its address works at once.',
  },
  'no-login-asked': {
    level: 'warning',
    step: 'challenge',
    who: 'server',
    title: 'the server does not respond 401 to a request without a token',
    remedy: 'Ask the operator to respond 401 with a Bearer challenge to every request without a valid token.',
    source: 'MCP authorization, Error Handling',
    explanation:
      'Programs begin a login when they see a 401. With any other status most of them give up, or take the server for one without a login.',
  },
  'wrong-path': {
    level: 'failure',
    step: 'challenge',
    who: 'you',
    exit: exitCode.usage,
    title: 'no protocol server responds at this address',
    remedy: 'Check the address and its path: most servers are at a path like /mcp.',
    source: 'RFC 9110 section 15.5.5, 404 Not Found',
    explanation: 'The host responds, and not with a login at this path, nor does it publish where to log in.',
  },
  'server-redirects': {
    level: 'failure',
    step: 'challenge',
    who: 'server',
    title: 'the server redirects what is sent to its address',
    remedy: 'Ask the operator to let the server respond at this address itself.',
    source: 'RFC 9110 section 15.4, Redirection 3xx',
    explanation:
      'A token goes to the address of its login and no other, so no redirect is followed. One to an inner port, or from https to http, is of a server that does not know its public address; one to a page is of something that stands before it.',
  },
  'page-instead': {
    level: 'failure',
    step: 'challenge',
    who: 'server',
    title: 'a web page comes where the protocol should respond',
    remedy: 'Ask the operator to let this path through the gateway or single sign-on page that stands before it.',
    source: 'MCP authorization, Error Handling',
    explanation:
      'Something before the server (a single sign-on proxy, a firewall, a hotel’s login page) responds to everybody with a page for people. A program cannot log in there: it needs the server’s own 401.',
  },
  'challenge-missing': {
    level: 'warning',
    step: 'challenge',
    who: 'server',
    title: 'the server’s 401 has no Bearer challenge',
    remedy:
      'Ask the operator to send WWW-Authenticate: Bearer resource_metadata="…"; a proxy before the server may take the header out.',
    source: 'RFC 9110 section 11.6.1, WWW-Authenticate; RFC 9728 section 5.1',
    explanation:
      'The header says where the metadata is and which scope is needed. Without it programs have to guess the well-known addresses; some do not.',
  },
  'challenge-invalid': {
    level: 'failure',
    step: 'challenge',
    who: 'server',
    title: 'the server’s WWW-Authenticate header can be read in two ways',
    remedy: 'Ask the operator to send one Bearer challenge with each parameter once.',
    source: 'RFC 9110 section 11.6.1, WWW-Authenticate',
    explanation:
      'Two Bearer challenges that differ, or a parameter that comes twice, mean two things. Which one is meant is not guessed, since one of them may be an attacker’s.',
  },
  'challenge-without-metadata': {
    level: 'note',
    step: 'challenge',
    who: 'server',
    title: 'the server’s challenge does not say where the metadata is',
    remedy: 'Ask the operator to add resource_metadata="…" to the challenge.',
    source: 'RFC 9728 section 5.1, WWW-Authenticate Response',
    explanation: 'The well-known addresses are tried instead. That works where the metadata is published there.',
  },
  'challenge-without-scope': {
    level: 'note',
    step: 'challenge',
    who: 'server',
    title: 'the server’s challenge names no scope',
    remedy: 'Nothing to do; the metadata’s scopes are asked for, or none.',
    source: 'MCP authorization, Scope Selection Strategy',
    explanation:
      'With a scope in the challenge a login asks for no more than it needs. Without it, it asks for all that the metadata lists.',
  },
  'challenge-with-error': {
    level: 'note',
    step: 'challenge',
    who: 'server',
    title: 'the server reports an error to a request that brought no token',
    remedy: 'Ask the operator to leave error out where no token came.',
    source: 'RFC 6750 section 3.1, Error Codes',
    explanation:
      'A request without a token did nothing wrong. An error there makes programs believe that their token was refused.',
  },
  'metadata-elsewhere': {
    level: 'warning',
    step: 'challenge',
    who: 'server',
    title: 'the server’s metadata is at another origin',
    remedy: 'Ask the operator to publish it at the server’s own address.',
    source: 'RFC 9728 section 3.1, Protected Resource Metadata Request',
    explanation:
      'Whoever controls that other address decides where people log in. It is allowed, and each login says so.',
  },
  'resource-metadata-missing': {
    level: 'failure',
    step: 'resource',
    who: 'server',
    title: 'the server does not say where to log in',
    remedy: 'Ask the operator to publish protected resource metadata, or check the address.',
    source: 'RFC 9728 section 3, Obtaining Protected Resource Metadata',
    explanation:
      'The metadata is a small JSON document that names the resource and its authorization servers. It was at none of the addresses where it may be.',
  },
  'header-missing': {
    level: 'failure',
    step: 'resource',
    who: 'you',
    exit: exitCode.usage,
    title: 'every request is refused before a login is asked for',
    remedy:
      'If the server, or a gateway before it, wants a header of its own (a key, a tenant): give it with --header-file FILE, here and to postern login. Else ask its operator.',
    source: 'RFC 9728 section 3, Obtaining Protected Resource Metadata',
    explanation:
      'The server refuses a request without a token with something else than a request to log in, and its metadata, which is for everybody, likewise. Gateways do that to requests without their key.',
  },
  'revision-2025-03-26': {
    level: 'failure',
    step: 'resource',
    who: 'server',
    title: 'the server is of the revision 2025-03-26, and publishes no resource metadata',
    remedy: 'Ask the operator to publish protected resource metadata; until then add --legacy to postern login.',
    source: 'MCP authorization 2025-03-26, Server Metadata Discovery',
    explanation:
      'In that revision the authorization server is at the server’s own origin. Nothing says for which resource a token is issued, so it may be valid for all that is there. That is why a login is made there by choice alone.',
  },
  'resource-metadata-invalid': {
    level: 'failure',
    step: 'resource',
    who: 'server',
    title: 'the server’s metadata is invalid',
    remedy: 'Ask the operator to correct the document.',
    source: 'RFC 9728 section 2, Protected Resource Metadata',
    explanation:
      'The document is no JSON object, is too large, has a member twice, or lacks what a login needs: "resource", and a list "authorization_servers" of https addresses.',
  },
  'resource-mismatch': {
    level: 'failure',
    step: 'resource',
    who: 'server',
    title: 'the server’s metadata is for another address',
    remedy:
      'Ask the operator to set "resource" to the address that people use; if you meant the other address, log in to that.',
    source: 'RFC 9728 section 3.3, Protected Resource Metadata Validation',
    explanation:
      '"resource" has to be the address that was asked, or one above it on the same origin. Else a server could have tokens made out for somebody else’s.',
  },
  'resource-spelling': {
    level: 'warning',
    step: 'resource',
    who: 'server',
    title: '"resource" is spelled otherwise than the server’s address',
    remedy: 'Ask the operator to spell it as the address that people type, without a slash at the end.',
    source: 'RFC 8707 section 2, Resource Parameter',
    explanation:
      'It names the same address in another spelling. Authorization servers compare strings: programs that send their own spelling are refused there. This program sends the metadata’s.',
  },
  'resource-is-wider': {
    level: 'note',
    step: 'resource',
    who: 'server',
    title: 'tokens for the server are valid for more than this server',
    remedy: 'Ask the operator to give each server a resource of its own.',
    source: 'RFC 8707 section 2, Resource Parameter',
    explanation:
      '"resource" is an address above the server’s. A token for it is valid for everything below that address.',
  },
  'resource-metadata-differs': {
    level: 'warning',
    step: 'resource',
    who: 'server',
    title: 'the server’s metadata differs from place to place',
    remedy: 'Ask the operator to publish one document at all of its addresses.',
    source: 'RFC 9728 section 3.1, Protected Resource Metadata Request',
    explanation:
      'Programs ask these addresses in different orders. With two documents, two programs log in differently, and one of them may fail.',
  },
  'resource-metadata-type': {
    level: 'warning',
    step: 'resource',
    who: 'server',
    title: 'the server’s metadata does not say that it is JSON',
    remedy: 'Ask the operator to send Content-Type: application/json.',
    source: 'RFC 9728 section 3.2, Protected Resource Metadata Response',
    explanation: 'This program reads it all the same. Others refuse what does not call itself JSON.',
  },
  'scopes-many': {
    level: 'note',
    step: 'resource',
    who: 'server',
    title: 'the server lists many scopes',
    remedy: 'Ask the operator to list what the usual work needs, and to ask for more with a challenge.',
    source: 'RFC 9728 section 2, scopes_supported',
    explanation:
      'A login without a challenged scope asks for all of them. People see a long list, and grant more than they need.',
  },
  'offline-access-listed': {
    level: 'warning',
    step: 'resource',
    who: 'server',
    title: 'the server asks for offline_access, which is not its business',
    remedy: 'Ask the operator to leave offline_access to the authorization server’s metadata.',
    source: 'MCP authorization 2026-07-28, Refresh Tokens',
    explanation:
      'Whether a login lasts is between the client and the authorization server. A resource that lists it makes every program ask for lasting access.',
  },
  'bad-token-taken': {
    level: 'failure',
    isUnsafe: true,
    step: 'token',
    who: 'server',
    title: 'the server takes a token that nobody issued',
    remedy: 'Tell the operator at once: tokens are not validated.',
    source: 'RFC 9068 section 4, Validating JWT Access Tokens',
    explanation: 'A token made up here was accepted like a real one. Anybody can use this server as anybody.',
  },
  'bad-token-status': {
    level: 'warning',
    step: 'token',
    who: 'server',
    title: 'the server does not respond 401 to a bad token',
    remedy: 'Ask the operator to respond 401 with error="invalid_token".',
    source: 'RFC 6750 section 3.1, Error Codes',
    explanation:
      'A 401 makes a program refresh its token. With another status it cannot know that the token is the trouble, and every call fails once the token has run out.',
  },
  'bad-token-unnamed': {
    level: 'note',
    step: 'token',
    who: 'server',
    title: 'the server’s 401 to a bad token does not name invalid_token',
    remedy: 'Ask the operator to add error="invalid_token" to the challenge.',
    source: 'RFC 6750 section 3.1, Error Codes',
    explanation: 'With it a program knows that the token is the trouble, and not that none came.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

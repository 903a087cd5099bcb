import { exitCode } from '../../core/failure.js';
import type { FindingKind } from '../finding.js';

/** What the authorization server says of itself, and how a client gets known there. */
export const authorizationServerFindings = {
  'issuer-changed': {
    level: 'failure',
    step: 'choice',
    who: 'you',
    exit: exitCode.loginNeeded,
    title: 'the server now names another authorization server than your login is of',
    remedy: 'If you trust the change, log in again with --authorization-server.',
    source: 'MCP authorization 2026-07-28, Authorization Server Discovery',
    explanation:
      'A server that was taken over would send people to an authorization server of the attacker’s. So only a person may change to another.',
  },
  'several-issuers': {
    level: 'note',
    step: 'choice',
    who: 'you',
    title: 'the server names several authorization servers',
    remedy: 'Choose one with --authorization-server; without a terminal the first is taken.',
    source: 'RFC 9728 section 7.6, Authorization Servers',
    explanation: 'Which one your account is at, only you know.',
  },
  'issuer-unknown': {
    level: 'failure',
    step: 'issuer',
    who: 'server',
    exit: exitCode.network,
    title: 'the server’s metadata names an authorization server that cannot be used',
    remedy: 'Ask the server’s operator to correct authorization_servers in its metadata.',
    source: 'RFC 9728 section 2, authorization_servers',
    explanation:
      'The name of that host has no address, or is one of a private network, which no public server may send people to.',
  },
  'issuer-unreachable': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    exit: exitCode.network,
    title: 'the authorization server cannot be reached',
    remedy: 'Ask its operator whether it is running; check network, VPN and firewall.',
    source: 'RFC 8414 section 3, Obtaining Authorization Server Metadata',
    explanation:
      'The server itself responds, and the authorization server that it names does not, or not in time. Nobody can log in until it does.',
  },
  'issuer-metadata-missing': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server has no usable metadata',
    remedy: 'Ask its operator to publish authorization server metadata (RFC 8414) or OpenID Connect Discovery.',
    source: 'RFC 8414 section 3, Obtaining Authorization Server Metadata',
    explanation:
      'The metadata tells where people log in and where tokens are issued. It was at none of the two or three addresses where it may be.',
  },
  'issuer-metadata-invalid': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server’s metadata is invalid',
    remedy: 'Ask its operator to correct the document.',
    source: 'RFC 8414 section 2, Authorization Server Metadata',
    explanation:
      'The document is no JSON object, is too large or has a member twice; or an endpoint that a login needs is missing, is not https, or brings parameters that belong to the client’s request.',
  },
  'issuer-mismatch': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server’s metadata names another issuer',
    remedy:
      'Ask its operator to make "issuer" identical with the address that the server’s metadata names, to the character.',
    source: 'RFC 8414 section 3.3, Authorization Server Metadata Validation',
    explanation:
      'The two are compared as strings: a slash at the end of a path, or http for https, makes another issuer. Else one authorization server could pass for another.',
  },
  'issuer-slash': {
    level: 'warning',
    step: 'issuer',
    who: 'server',
    title: 'the server and the authorization server spell the issuer differently (trailing slash)',
    remedy: 'Ask the operator to spell the issuer exactly as its metadata does.',
    source: 'RFC 8414 section 3.3, Authorization Server Metadata Validation',
    explanation:
      'Issuers are compared as strings, so these are two. Both have their metadata at one address: a login at a terminal asks whether you take it, and is kept with the spelling of the metadata. Other programs fail.',
  },
  'pkce-missing': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server does not offer PKCE with S256',
    remedy: 'Ask its operator to add "code_challenge_methods_supported": ["S256"] to the metadata.',
    source: 'MCP authorization, Authorization Code Protection',
    explanation:
      'PKCE binds the code to the program that asked for it. Where the metadata does not list it, a client has to refuse, though it might work.',
  },
  'capability-missing': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server does not offer the authorization code flow',
    remedy: 'Ask its operator to enable it.',
    source: 'RFC 8414 section 2, Authorization Server Metadata',
    explanation: 'By its metadata, a login in the browser is not possible there.',
  },
  'resource-not-listed': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server lists the resources that it protects, and this one is not among them',
    remedy: 'Ask its operator to add the resource to protected_resources.',
    source: 'RFC 9728 section 4, Authorization Server Metadata',
    explanation:
      'The server says that it belongs to this authorization server, and that one says otherwise. One of the two is wrong, or the server is lying.',
  },
  'endpoint-refused': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server’s metadata sends logins to an address that is not safe to send anybody to',
    remedy: 'Ask its operator to name https addresses of its own.',
    source: 'MCP authorization, Communication Security',
    explanation:
      'A code or a token would go to plain http, to a private address, or to a cloud’s metadata service. Nothing is ever sent there, whoever names it.',
  },
  'first-address-broken': {
    level: 'note',
    step: 'issuer',
    who: 'authorization-server',
    title: 'an address of the authorization server’s metadata brings something else',
    remedy: 'Ask its operator to respond 404 where no metadata is.',
    source: 'RFC 8414 section 3.1, Authorization Server Metadata Request',
    explanation:
      'The next address has the document, so this login works. Programs that ask one address alone fail there.',
  },
  'issuer-metadata-differs': {
    level: 'warning',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server’s metadata differs from place to place',
    remedy: 'Ask its operator to publish one document at all of its addresses.',
    source: 'RFC 8414 section 3.1, Authorization Server Metadata Request',
    explanation:
      'Programs ask these addresses in different orders. With endpoints that differ, two programs log in differently.',
  },
  'issuer-metadata-unsteady': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server’s metadata changes from one request to the next',
    remedy: 'Ask its operator to publish one document; behind a load balancer, on all machines.',
    source: 'RFC 8414 section 3, Obtaining Authorization Server Metadata',
    explanation:
      'The same address was asked twice, and named other endpoints the second time. A login that begins at one and ends at the other fails, and an attacker would do just that.',
  },
  'iss-not-announced': {
    level: 'note',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server does not announce iss in its authorization responses',
    remedy: 'Ask its operator to send iss, and to announce authorization_response_iss_parameter_supported.',
    source: 'RFC 9207 section 2.3, Providing the Issuer Identifier',
    explanation:
      'iss tells the client which authorization server responds. It is what repels mix-up attacks, and the newest revision asks for it.',
  },
  'document-flag-text': {
    level: 'warning',
    step: 'issuer',
    who: 'authorization-server',
    title: 'client_id_metadata_document_supported is not the boolean true',
    remedy: 'Ask its operator to write true, without quotes.',
    source: 'Client ID Metadata Document draft 00 section 5, Client Information Discovery',
    explanation:
      'Only the boolean counts. Programs register themselves instead, or ask a person for a client identifier.',
  },
  'refresh-not-listed': {
    level: 'note',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server lists grants, and refresh_token is not among them',
    remedy: 'Ask its operator to add refresh_token to grant_types_supported, if it issues any.',
    source: 'RFC 8414 section 2, grant_types_supported',
    explanation:
      'This program asks for one all the same. Others go by the list, and there a person has to log in again whenever a token has run out.',
  },
  'public-clients-not-listed': {
    level: 'note',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server lists ways to authenticate at the token endpoint, and none is not among them',
    remedy:
      'Ask its operator to add none to token_endpoint_auth_methods_supported, if it takes clients without a secret.',
    source: 'RFC 8414 section 2, token_endpoint_auth_methods_supported',
    explanation:
      'Programs on a person’s machine can keep no secret of their own. They register without one, and some give up where that is not listed.',
  },
  'no-revocation': {
    level: 'note',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server has no revocation endpoint',
    remedy: 'Ask its operator to offer token revocation.',
    source: 'RFC 7009, Token Revocation',
    explanation:
      'After a logout the tokens are gone from this machine, and remain valid at the server until they run out.',
  },
  'login-page-elsewhere': {
    level: 'note',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the login page is at another site than the issuer',
    remedy: 'Check that you know that site before you type a password there.',
    source: 'RFC 8414 section 2, authorization_endpoint',
    explanation: 'It is allowed, and usual at some companies. Each login says so.',
  },
  'no-way-to-register': {
    level: 'failure',
    step: 'client',
    who: 'you',
    exit: exitCode.usage,
    title: 'this program is not known there, and cannot make itself known',
    remedy: 'Register a client at the authorization server by hand, then log in with --client-id.',
    source: 'MCP authorization, Client Registration Approaches',
    explanation:
      'The authorization server offers no dynamic registration, and no client ID metadata document can be used. A person has to register a client, and to give its identifier.',
  },
  'family-entra': {
    level: 'note',
    step: 'client',
    who: 'you',
    title: 'this is Microsoft Entra',
    remedy:
      'Register a client by hand with http://localhost as redirect address, and log in with --client-id and --redirect-uri; ask for scopes of the server’s application alone. Where the resource is refused all the same, postern login has --resource and --no-resource.',
    source: 'Entra ID error AADSTS9010010',
    explanation:
      'Entra offers no dynamic registration. It refuses a resource that does not match the scopes (AADSTS9010010): the server’s metadata has to name the application’s own identifier.',
  },
  'family-google': {
    level: 'note',
    step: 'client',
    who: 'you',
    title: 'this is Google',
    remedy: 'Make a client of the type Desktop app by hand, and log in with --client-id and --client-secret-stdin.',
    source: 'Google Identity, OAuth 2.0 for Desktop Apps',
    explanation:
      'Google registers no clients by itself, and gives desktop clients a secret, which it wants at the token endpoint.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

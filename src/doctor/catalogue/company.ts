import { exitCode } from '../../core/failure.js';
import type { FindingKind } from '../finding.js';

const draft = 'draft-ietf-oauth-identity-assertion-authz-grant';

/** Logins by a company's provider (enterprise-managed authorization). */
export const companyFindings = {
  'id-jag-not-listed': {
    level: 'failure',
    step: 'issuer',
    who: 'authorization-server',
    title: 'the authorization server lists no way to take what a company’s provider vouches for',
    remedy:
      'Ask its operator to add urn:ietf:params:oauth:grant-type:jwt-bearer to grant_types_supported, if it takes ID-JAGs; else log out, and log in without --idp.',
    source: `RFC 8414 section 2, grant_types_supported; ${draft}`,
    explanation:
      'Your login is by your company’s provider, whose grant (ID-JAG) the authorization server has to take. By its metadata it does not: a login made before may go on for a while, and a new one is refused before anything is sent.',
  },
  'provider-unreachable': {
    level: 'failure',
    step: 'provider',
    who: 'company',
    exit: exitCode.network,
    title: 'the company’s provider cannot be reached',
    remedy:
      'Check network, VPN and firewall: many providers are open to the company’s network alone. Then ask your company’s administrator.',
    source: 'OpenID Connect Discovery 1.0 section 4, Obtaining OpenID Provider Configuration Information',
    explanation:
      'Each token of this login is asked for there. A token at hand is used until it ends, and then there is no other one.',
  },
  'provider-metadata-unusable': {
    level: 'failure',
    step: 'provider',
    who: 'company',
    title: 'the company’s provider has no usable metadata',
    remedy:
      'Compare --idp with the issuer that your company’s administrator names, to the character; if they are the same, show this to them.',
    source: 'OpenID Connect Discovery 1.0 section 4.3, OpenID Provider Configuration Validation',
    explanation:
      'The document tells where people log in and where ID tokens are exchanged. It was not there, is invalid, names another issuer, does without PKCE, or leads to an address that nothing is sent to.',
  },
  'provider-exchanges-nothing': {
    level: 'failure',
    step: 'provider',
    who: 'company',
    title: 'the company’s provider does not offer what a login by it needs',
    remedy:
      'Ask your company’s administrator to set up token exchange for ID-JAGs there. What else they have to set up: postern help company',
    source: `${draft} section 4.3, Token Exchange`,
    explanation:
      'The provider is to exchange its ID token for a grant that the server’s authorization server takes. Its metadata lists what it offers, and that is not among it.',
  },
  'provider-refresh-not-listed': {
    level: 'note',
    step: 'provider',
    who: 'company',
    title: 'the company’s provider lists grants, and refresh_token is not among them',
    remedy: 'Ask your company’s administrator to allow refresh_token and offline_access for the client there.',
    source: 'OpenID Connect Discovery 1.0 section 3, grant_types_supported',
    explanation: 'Whenever the ID token has ended, often after an hour, somebody has to log in there again.',
  },
  'provider-login-ended': {
    level: 'failure',
    step: 'provider',
    who: 'you',
    exit: exitCode.loginNeeded,
    title: 'the login at the company’s provider has ended',
    remedy: 'Log in again, once for all its servers.',
    source: 'RFC 6749 section 5.2, Error Response (invalid_grant)',
    explanation:
      'The provider refuses to go on with it, or its secret is gone from this machine. A token at hand is used until it ends; then no server that hangs on the provider gets another one.',
  },
  'id-token-unusable': {
    level: 'failure',
    step: 'provider',
    who: 'you',
    exit: exitCode.loginNeeded,
    title: 'the file that the company’s ID token comes from cannot be used',
    remedy:
      'Have the file written anew by what writes it: an ID token of this provider, for this client, that has not ended.',
    source: 'OpenID Connect Core 1.0 section 3.1.3.7, ID Token Validation',
    explanation:
      'This login has no other proof of who you are: the file of --idp-token-file is read anew for each token. It cannot be read, holds something else, or its ID token has ended. A token at hand is used until it ends.',
  },
  'id-jag-unusable': {
    level: 'failure',
    step: 'redeem',
    who: 'company',
    title: 'what the company’s provider issues may not be sent on',
    remedy: 'Show this to your company’s administrator: what has to stand in it says postern help company',
    source: `${draft} section 4.3, Token Exchange`,
    explanation:
      'The grant (ID-JAG) has to be signed, of its own type, and for one client, at one authorization server, for one server. One that is for somebody else as well could be used there, so it is thrown away.',
  },
  'provider-refused': {
    level: 'failure',
    step: 'redeem',
    who: 'company',
    exit: exitCode.refused,
    title: 'the company’s provider does not vouch for you at this server',
    remedy:
      'Ask your company’s administrator whether you may use this server. What they have to set up: postern help company',
    source: 'RFC 8693 section 2.2.2, Error Response',
    explanation: 'The provider decides who may use which server, anew for each token, and has said no.',
  },
  'provider-failed': {
    level: 'failure',
    step: 'redeem',
    who: 'company',
    exit: exitCode.network,
    title: 'the company’s provider is out of order where ID tokens are exchanged',
    remedy: 'Try again later; if it stays so, tell your company’s administrator.',
    source: 'RFC 8693 section 2.2, Response',
    explanation: 'Each token of this login is asked for there. A token at hand is used until it ends.',
  },
  'id-jag-refused': {
    level: 'failure',
    step: 'redeem',
    who: 'authorization-server',
    exit: exitCode.refused,
    title: 'the authorization server does not take what the company’s provider vouched for',
    remedy:
      'Ask its operator to trust the provider’s issuer and keys, and whether it knows the client of --client-id and its secret.',
    source: 'RFC 7523 section 3.1, Authorization Grant Processing',
    explanation:
      'The provider vouched, and the grant was for this client, this authorization server and this server. What is missing is the other side’s trust in it.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

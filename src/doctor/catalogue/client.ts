import { exitCode } from '../../core/failure.js';
import type { FindingKind } from '../finding.js';

/** How a client gets known, and what the authorization endpoint does with requests that are wrong. */
export const clientFindings = {
  'registration-refused': {
    level: 'failure',
    step: 'client',
    who: 'authorization-server',
    exit: exitCode.refused,
    title: 'the authorization server refuses to register this program',
    remedy: 'Ask its operator to allow registration; or register a client there by hand, and log in with --client-id.',
    source: 'RFC 7591 section 3.2.2, Client Registration Error Response',
    explanation:
      'Its metadata offers dynamic registration, and a registration is refused, even one that asks for as little as can be. Some take programs of a list alone.',
  },
  'redirect-refused': {
    level: 'failure',
    step: 'client',
    who: 'you',
    exit: exitCode.refused,
    title: 'the authorization server does not take the redirect address',
    remedy: 'Log in with another one: postern login SERVER --redirect-uri http://localhost/callback',
    source: 'RFC 8252 section 7.3, Loopback Interface Redirection',
    explanation:
      'The redirect address is this machine’s, http://127.0.0.1 with any port. Some authorization servers take the name localhost alone, some the address alone, and some one port or path. Each can be chosen, and is kept.',
  },
  'registration-invalid': {
    level: 'failure',
    step: 'client',
    who: 'authorization-server',
    title: 'the response to a registration is invalid',
    remedy:
      'Ask its operator to return what was registered: client_id, and the one redirect address that was asked for.',
    source: 'RFC 7591 section 3.2.1, Client Information Response',
    explanation:
      'The response lacks a usable client_id, names other redirect addresses than the one that was registered, or brings a secret that has expired. With such a client people would be sent to another address, or refused.',
  },
  'registration-redirected': {
    level: 'failure',
    step: 'client',
    who: 'authorization-server',
    title: 'the registration endpoint redirects',
    remedy: 'Ask its operator to name the endpoint’s final address in the metadata.',
    source: 'RFC 7591 section 3, Client Registration Endpoint',
    explanation:
      'What is sent to an endpoint is for that endpoint. A redirect is not followed, since it may lead to anybody.',
  },
  'registration-failed': {
    level: 'failure',
    step: 'client',
    who: 'authorization-server',
    exit: exitCode.network,
    title: 'the registration endpoint does not work',
    remedy: 'Try again later, or ask its operator to look into its log.',
    source: 'RFC 7591 section 3, Client Registration Endpoint',
    explanation:
      'No usable response came from the endpoint that the metadata names: it cannot be reached, or takes too long.',
  },
  'registration-with-secret': {
    level: 'warning',
    step: 'client',
    who: 'authorization-server',
    title: 'a client that uses no secret gets one',
    remedy: 'Ask its operator to issue no client_secret where token_endpoint_auth_method is none.',
    source: 'RFC 7591 section 3.2.1, Client Information Response',
    explanation:
      'The response says that the client authenticates by nothing, and brings a secret all the same. Programs that send it are refused at some servers. This program does not send it.',
  },
  'registration-method-changed': {
    level: 'warning',
    step: 'client',
    who: 'authorization-server',
    title: 'a client that asked for no secret is registered with one',
    remedy: 'Ask its operator to honour token_endpoint_auth_method none, or to leave it out of the metadata.',
    source: 'RFC 7591 section 2, token_endpoint_auth_method',
    explanation:
      'Programs on a person’s machine can keep no secret, so they register without one. This one obeys the response; others go on without the secret, and are refused when they ask for a token.',
  },
  'registration-not-native': {
    level: 'note',
    step: 'client',
    who: 'authorization-server',
    title: 'a native program is registered as another kind',
    remedy: 'Ask its operator to honour application_type native.',
    source: 'OpenID Connect Dynamic Client Registration 1.0 section 2, application_type',
    explanation: 'A client of the kind web may not use a redirect address on this machine at some servers.',
  },
  'registered-too-often': {
    level: 'failure',
    step: 'client',
    who: 'you',
    exit: exitCode.refused,
    title: 'this program was registered there too often',
    remedy: 'Wait an hour, or register a client there by hand, and log in with --client-id.',
    source: 'RFC 7591 section 5, Security Considerations',
    explanation: 'Registrations are counted, so that no server makes this program register again and again.',
  },
  'client-refused': {
    level: 'failure',
    step: 'request',
    who: 'authorization-server',
    exit: exitCode.refused,
    title: 'the authorization server does not accept the client that it has just registered',
    remedy: 'Ask its operator why a client of dynamic registration is not accepted.',
    source: 'RFC 6749 section 5.2, invalid_client and unauthorized_client',
    explanation:
      'The registration went well, and with its client_id nobody can log in. Some servers want each client to be approved by a person first.',
  },
  'own-client-refused': {
    level: 'failure',
    step: 'request',
    who: 'you',
    exit: exitCode.refused,
    title: 'the authorization server does not accept the client that you gave',
    remedy: 'Check the client identifier, its secret and its redirect address, as they are registered there.',
    source: 'RFC 6749 section 5.2, invalid_client and unauthorized_client',
    explanation:
      'The client comes from the configuration or the environment. It is misspelt, of another authorization server, or may not log people in.',
  },
  'client-left': {
    level: 'note',
    step: 'client',
    who: 'you',
    title: 'a client that was registered for this run is still there',
    remedy: 'Nothing to do; whoever operates the authorization server may remove it.',
    source: 'RFC 7592 section 2.3, Client Delete Request',
    explanation:
      'Where a registration brings an address to manage it, the client is removed at the end of the run. Otherwise it stays; it is of no use to anybody without a person’s login.',
  },
  'request-refused': {
    level: 'failure',
    step: 'request',
    who: 'authorization-server',
    exit: exitCode.refused,
    title: 'the authorization server refuses the authorization request',
    remedy: 'Ask its operator why; what it says stands beside “seen”.',
    source: 'RFC 9126 section 2.3, Error Response; RFC 6749 section 4.1.2.1',
    explanation: 'The request of this login was refused before a login page was shown.',
  },
  'request-invalid': {
    level: 'failure',
    step: 'request',
    who: 'authorization-server',
    title: 'the response to a pushed authorization request is invalid',
    remedy: 'Ask its operator to return request_uri and expires_in.',
    source: 'RFC 9126 section 2.2, Successful Response',
    explanation: 'It takes pushed requests, and the response does not say how to open what was pushed.',
  },
  'request-redirected': {
    level: 'failure',
    step: 'request',
    who: 'authorization-server',
    title: 'the endpoint for pushed requests redirects',
    remedy: 'Ask its operator to name the endpoint’s final address in the metadata.',
    source: 'RFC 9126 section 2, Pushed Authorization Request Endpoint',
    explanation:
      'What is sent to an endpoint is for that endpoint. A redirect is not followed, since it may lead to anybody.',
  },
  'request-failed': {
    level: 'failure',
    step: 'request',
    who: 'authorization-server',
    exit: exitCode.network,
    title: 'the endpoint for authorization requests does not work',
    remedy: 'Try again later, or ask its operator to look into its log.',
    source: 'RFC 6749 section 3.1, Authorization Endpoint',
    explanation: 'No usable response came from the endpoint that the metadata names.',
  },
  'request-too-long': {
    level: 'failure',
    step: 'request',
    who: 'server',
    title: 'the server asks for so much that the request is too long',
    remedy: 'Ask the operator to name fewer scopes, or ask for less with --scope.',
    source: 'RFC 9110 section 4.1, URI References',
    explanation:
      'All scopes stand in the address of the login page. Browsers and servers refuse addresses that are too long.',
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

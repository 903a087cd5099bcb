import { redirectUriText } from '../../core/configuration/redirect-uri.js';
import { shellWord } from '../../core/text/printable.js';
import type { BegunLogin, PersonLogin } from '../ports.js';

/**
 * The login, with the options in its name that a person gave now: a client and a redirect address are kept only once a
 * login has worked, so the command that a failure prints needs them again.
 */
export function withGivenOptions(begun: BegunLogin, { client, person, dpop, provider }: PersonLogin): BegunLogin {
  const given = [...ofClient(client.given), ...ofRedirect(person), ...ofProofs(dpop), ...ofProvider(provider)];
  return { ...begun, meant: { ...begun.meant, given } };
}

/** Of the secret's file only that there was one is known by now. */
function ofProvider(provider: PersonLogin['provider']): readonly string[] {
  if (provider === undefined) return [];
  const { issuer, clientId, secret, tokenFile } = provider;
  return [
    `--idp ${shellWord(issuer)}`,
    `--idp-client-id ${shellWord(clientId)}`,
    ...(secret === undefined ? [] : ['--idp-client-secret-file FILE']),
    ...(tokenFile === undefined ? [] : [`--idp-token-file ${shellWord(tokenFile)}`]),
  ];
}

/** A secret is not printed: it is asked for again. One that a variable gave is there the next time, too. */
function ofClient(given: PersonLogin['client']['given']): readonly string[] {
  if (given === undefined) return [];
  const secret = given.secret === undefined || given.unbound === true ? [] : ['--client-secret-stdin'];
  return [`--client-id ${shellWord(given.clientId)}`, ...secret];
}

function ofRedirect({ redirectUri, redirectPort }: PersonLogin['person']): readonly string[] {
  if (redirectUri !== undefined) return [`--redirect-uri ${shellWord(redirectUriText(redirectUri))}`];
  return redirectPort === undefined ? [] : [`--redirect-port ${redirectPort}`];
}

function ofProofs(dpop: PersonLogin['dpop']): readonly string[] {
  if (dpop === undefined) return [];
  return [dpop === 'always' ? '--dpop' : '--no-dpop'];
}

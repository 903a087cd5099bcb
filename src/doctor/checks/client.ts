import { type JsonObject, jsonWords } from '../../core/text/json.js';
import { chooseWay } from '../../oauth/choose-registration.js';
import { isSameIssuer } from '../../oauth/discovery-document.js';
import type { AuthorizationServer } from '../../oauth/server-metadata.js';
import { documentOf, manualRegistration, registrationsFor } from '../../tokens/registrations.js';
import type { DiscoveredRun, Run } from '../run.js';

/** Step 7: how a login would get its client. Nothing is registered. */
export async function checkClient(run: Run, server: AuthorizationServer): Promise<void> {
  const { held, report } = run;
  if (held?.provider !== undefined) {
    report.pass('client', `${held.clientId}, for which the company’s provider vouches`);
    return;
  }
  const { clients = [], clientMetadataUrl = run.clientMetadataUrl } = await run.configuration();
  const configured = clients.find(({ issuer }) => isSameIssuer(issuer, server.issuer));
  const kept = manualRegistration(await registrationsFor(run, server.issuer), undefined);
  const choice = chooseWay({
    forced: undefined,
    preregistered: configured?.clientId ?? kept?.clientId,
    metadataUrl: documentOf(clientMetadataUrl, held),
    documentHasKey: false,
    byDevice: false,
    server,
  });
  if (choice.open && choice.way !== 'ask') report.pass('client', `${choice.way}: ${choice.why}`);
  else {
    report.found('no-way-to-register', 'no dynamic registration, no metadata document, no client registered by hand');
  }
}

/** Step 7: whether a registration that can be used is what was asked for: without a secret, and native. */
export function checkRegistered({ authorizationServer, report }: DiscoveredRun, body: JsonObject): void {
  const { tokenAuthMethods } = authorizationServer;
  const { client_secret: secret, token_endpoint_auth_method: method, application_type: type } = body;
  const hasSecret = typeof secret === 'string';
  const wantedNone = tokenAuthMethods === undefined || tokenAuthMethods.includes('none');
  if (method === 'none' && hasSecret) report.found('registration-with-secret', 'client_secret, and method none');
  else if (wantedNone && (hasSecret || (typeof method === 'string' && method !== 'none'))) {
    const registered = jsonWords(method, 'with a client_secret');
    report.found('registration-method-changed', `asked for none, registered ${registered}`);
  }
  if (typeof type === 'string' && type !== 'native') {
    report.found('registration-not-native', `application_type is ${type}`);
  }
  report.pass('client', 'registered with the redirect address that was asked for');
}

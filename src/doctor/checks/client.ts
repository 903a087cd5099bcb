import { chooseWay } from '../../oauth/choose-registration.js';
import { isSameIssuer } from '../../oauth/discovery-document.js';
import { documentOf, manualRegistration, registrationsFor } from '../../tokens/registrations.js';
import type { Discovered, ExaminePorts, ServerTarget } from '../ports.js';
import type { Report } from '../report.js';

/** Step 7: how a login would get its client. Nothing is registered. */
export async function checkClient(
  ports: Pick<ExaminePorts, 'index' | 'configuration' | 'clientMetadataUrl'>,
  about: Pick<ServerTarget, 'held'> & Pick<Discovered, 'authorizationServer'> & { readonly isVouched: boolean },
  report: Report,
): Promise<void> {
  const { held, isVouched, authorizationServer: server } = about;
  if (isVouched) {
    report.pass('client', `${held?.clientId}, for which the company’s provider vouches`);
    return;
  }
  const { clients = [], clientMetadataUrl = ports.clientMetadataUrl } = await ports.configuration();
  const configured = clients.find(({ issuer }) => isSameIssuer(issuer, server.issuer));
  const kept = manualRegistration(await registrationsFor(ports, server.issuer), undefined);
  const choice = chooseWay({
    forced: undefined,
    preregistered: configured?.clientId ?? kept?.clientId,
    metadataUrl: documentOf(clientMetadataUrl, held),
    documentHasKey: false,
    byDevice: false,
    server,
  });
  if (choice.open && choice.way !== 'ask') report.pass('client', `${choice.way}: ${choice.why}`);
  else
    report.found('no-way-to-register', 'no dynamic registration, no metadata document, no client registered by hand');
}

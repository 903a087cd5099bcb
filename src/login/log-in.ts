import type { LoginRecord } from '../core/records.js';
import { printable } from '../core/text/printable.js';
import { announce, beginLogin } from './begin-login.js';
import type { LoginConsent } from './browser/page.js';
import { byBrowser } from './by-browser.js';
import { keepClient } from './client/register.js';
import { redirectUriToKeep } from './client/way-out.js';
import type { BegunLogin, LoginPorts, PersonLogin } from './ports.js';
import { saveCredential } from './save-credential.js';

/**
 * The whole main job: from a server's address to a stored credential (rule 5.3, all eight steps but the last).
 * A login by a company's provider goes another way. Nothing is opened before the store is known to work; success is shown in the browser only once the token is stored.
 * @throws Failure of each step; an earlier login of this server and account is then as it was
 */
export async function login(world: LoginPorts, request: PersonLogin): Promise<LoginRecord> {
  const company = await import('./company/company-login.js');
  const provider = await company.providerOf(world, request);
  if (provider !== undefined) return await company.companyLogin(world, request, provider);
  const begun = await beginLogin(world, request, 'authorization_code');
  const { ports } = begun;
  return await byBrowser(
    { ...begun, consent: consentTo(begun) },
    {
      announce: ({ client }) => {
        const isDocument = client?.way === 'metadata';
        announce(begun, ...(isDocument ? [`as ${printable(client.clientId)} (client ID metadata document)`] : []));
      },
      keep: async (redeemed, attempt) => {
        const client = await attempt.identify();
        const record = await saveCredential(begun, { redeemed, way: client.way, grant: 'authorization_code' });
        await keepClient(begun, client, redirectUriToKeep(attempt), redeemed.client.method);
        const came = ['stored', ...(record.scopes.length === 0 ? [] : [`scope ${record.scopes.join(' ')}`])].join(', ');
        ports.journal.record({ name: 'store', asked: ports.store.kind, came, rule: 'R-5.8b', verdict: 'pass' });
        return record;
      },
    },
  );
}

/**
 * The first login at a server or an issuer, begun by a program: nobody has seen the addresses, so the person does now. The
 * same where the program has chosen what the token is asked for, which is the person's to choose.
 */
function consentTo({ isNew, discovery, held, request }: BegunLogin<PersonLogin>): LoginConsent | undefined {
  const { caller } = request.person;
  const { server, authorizationServer, requestedResource } = discovery;
  const isChosen = requestedResource !== undefined && requestedResource !== held?.requestedResource;
  if (caller === undefined || !(isNew.server || isNew.issuer || isChosen)) return undefined;
  const { issuer } = authorizationServer;
  return { program: caller(), server, issuer, ...(isChosen ? { requestedResource } : {}) };
}

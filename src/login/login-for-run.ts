import type { BrowserOptions, Journal } from '../core/ports.js';
import { defaultAccount, type LoginRecord } from '../core/records.js';
import type { SecretHeader } from '../core/secret.js';
import type { HttpClient } from '../http/request.js';
import type { StoredCredential } from '../stores/credential-item.js';
import { inMemory } from '../stores/stores.js';
import { loginBrakes } from '../tokens/budget.js';
import { readCredential } from '../tokens/read-credential.js';
import { manualRegistration, registrationsFor } from '../tokens/registrations.js';
import { readScopes } from './client/client-options.js';
import { type LoginWorld, loginDefaults } from './logins.js';
import type { LoginPorts, PersonLogin } from './ports.js';

interface LoginForRun extends BrowserOptions {
  readonly server: string;
  readonly issuer: string;
  readonly device: boolean;
  /** None: what the server asks for. */
  readonly scope: readonly string[];
  /** How long a person is waited for; undefined: as for every login. */
  readonly timeoutMs: number | undefined;
  /** The login that there is for the server: this one is made as that was, and by its client. */
  readonly held: LoginRecord | undefined;
  readonly headers: readonly SecretHeader[];
  readonly http: HttpClient;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}

/**
 * Makes a login that nobody else sees: its secrets and its record are in memory alone, and nothing that is kept of other
 * logins is used, changed or counted, but for the client that a person registered by hand, and how the login there is was made.
 * @throws Failure of the login; `too_many_tabs` where no person typed the command
 */
export async function logInForRun(
  world: LoginWorld,
  wanted: LoginForRun,
): Promise<{ readonly login: LoginRecord; readonly credential: StoredCredential }> {
  const { server, issuer, held, device, browser, noBrowser, signal } = wanted;
  const meant = { server, account: held?.account ?? defaultAccount };
  const { client, person } = await loginDefaults(world, {
    ...{ login: { ...meant, given: undefined }, held, of: 'other' },
    ...{ browser, noBrowser: noBrowser || device },
  });
  const brakes = loginBrakes(world, { server, account: 'for a run' });
  const isBraked = person.mode === 'browser' && person.caller !== undefined;
  if (isBraked) await brakes.openTab();
  const ports = await portsForRun(world, wanted);
  const request: PersonLogin = {
    ...meant,
    scopes: { named: readScopes(wanted.scope), held: [] },
    issuer: held?.issuer === issuer ? undefined : issuer, // what is held is checked as at every login
    client,
    store: 'memory',
    person: { ...person, timeoutMs: wanted.timeoutMs ?? person.timeoutMs },
    signal,
  };
  const make = device ? (await import('./device/device-login.js')).deviceLogin : (await import('./log-in.js')).login;
  const login = await make(ports, request);
  if (isBraked) await brakes.worked(); // a person answered: that tab was not in vain
  return { login, credential: await readCredential(ports, login) };
}

async function portsForRun(world: LoginWorld, wanted: LoginForRun): Promise<LoginPorts> {
  const { http, headers, issuer, held, journal } = wanted;
  const { redirectUris = [] } = await world.index.read();
  const memory = inMemory();
  const byHand = manualRegistration(await registrationsFor(world, issuer), undefined);
  for (const item of [byHand?.hasSecret ? byHand : undefined, held]) {
    const secret = item && (await world.store.read(item.key));
    if (secret !== undefined) await memory.store.write(item?.key ?? '', secret);
  }
  const logins = held === undefined ? [] : [{ ...held, store: 'memory' } as const];
  const registrations = byHand === undefined ? [] : [byHand];
  await memory.index.update((document) => ({ ...document, logins, registrations, redirectUris }));
  const { begin } = world.recovery;
  const nothing = async () => undefined;
  return {
    ...world,
    ...memory,
    attempts: { take: async () => true, allows: async () => true, forget: nothing },
    failures: { read: async () => [], keep: nothing, forget: nothing },
    // What is in memory ends with the process: nothing of it is recovered.
    recovery: { begin, isWaiting: async () => false, find: nothing, begunElsewhere: nothing, forget: nothing },
    stores: { of: () => memory.store },
    givenHeaders: async () => headers,
    http,
    journal,
  };
}

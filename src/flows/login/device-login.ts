import { authorizationDenied } from '../../errors/authorization.js';
import { deviceCodeExpired, deviceFlowMissing } from '../../errors/device.js';
import type { Ports } from '../../ports.js';
import { printable } from '../../primitives/printable.js';
import type { LoginRecord } from '../../primitives/records.js';
import { type DeviceAuthorization, judgeDeviceAnswer } from '../../protocol/oauth/device-authorization.js';
import {
  sendDeviceAuthorizationRequest,
  sendDeviceTokenRequest,
} from '../../protocol/oauth/device-request.js';
import { judgeTokenAnswer } from '../../protocol/oauth/token-response.js';
import { type Discovery, discover } from '../discovery/discover.js';
import { checkName } from './check-name.js';
import { storeForLogin } from './choose-store.js';
import { type IdentifiedClient, identifyClient } from './identify-client.js';
import { keepLogin } from './keep-login.js';
import type { LoginRequest } from './login.js';
import { tokenFailure } from './redeem.js';
import { registrationsFor } from './registrations.js';
import { scopesToRegister, selectScopes } from './select-scopes.js';
import { wishOf } from './wish.js';

/** What `slow_down` adds to the interval, in milliseconds (RFC 8628 section 3.5). */
const slowDownMs = 5_000;
/** No listener is open: the redirect URI stands in the registration only. */
const unusedRedirectUri = 'http://127.0.0.1/callback';

interface Asked {
  readonly discovery: Discovery;
  readonly client: IdentifiedClient;
  readonly scopes: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Logs in through a browser anywhere (RFC 8628): the person types a code there, and the token endpoint is asked, at
 * the pace that it wants, until the person has decided, the code has expired or the time is up.
 * @throws Failure of discovery, `device_flow_missing`, `denied`, `device_code_expired`, and as `redeem`
 */
export async function deviceLogin(
  world: Ports,
  request: Omit<LoginRequest, 'mode' | 'seat'>,
): Promise<LoginRecord> {
  const { server, issuer: wanted, signal } = request;
  const { logins, registrations } = await world.index.read();
  checkName(request, logins);
  const held = logins.find((login) => login.server === server && login.account === request.account);
  const ports = { ...world, store: storeForLogin(world, request.store, logins, held) };
  const known = [...registrations, ...logins].map(({ issuer }) => issuer);
  const discovery = await discover(ports, {
    server,
    wanted,
    held: held?.issuer,
    known,
    signal,
    grant: 'authorization_code',
  });
  const { issuer, deviceAuthorizationEndpoint } = discovery.authorizationServer;
  if (deviceAuthorizationEndpoint === undefined) {
    throw deviceFlowMissing(issuer, server, ports.journal.steps);
  }
  await ports.store.ready();
  const scopes = selectScopes(discovery, { scopes: request.scopes, held: request.heldScopes });
  const client = await identifyClient(ports, {
    ...request,
    discovery,
    redirectUri: unusedRedirectUri,
    forced: request.registration,
    preregistered: request.client ?? request.clients.find((one) => one.issuer === issuer),
    kept: await registrationsFor(ports, issuer),
    scopes: scopesToRegister(discovery, scopes),
  });
  try {
    const asked = { discovery, client, scopes, signal };
    const device = await askForDevice(ports, asked, deviceAuthorizationEndpoint);
    show(ports.terminal, device);
    const token = await waitForToken(ports, asked, device, request.timeoutMs);
    const redeemed = { token, client };
    return await keepLogin(ports, {
      ...request,
      discovery,
      redeemed,
      way: client.way,
      grant: 'authorization_code',
      wish: await wishOf(request),
    });
  } finally {
    ports.progress.end();
  }
}

const endpointOf = ({ discovery, client, signal }: Asked) => ({
  issuer: discovery.authorizationServer.issuer,
  resource: discovery.protectedResource.resource,
  zone: discovery.zone,
  client,
  signal,
});

async function askForDevice(ports: Ports, asked: Asked, endpoint: string): Promise<DeviceAuthorization> {
  const { discovery, scopes } = asked;
  const answer = await sendDeviceAuthorizationRequest(ports.door, { ...endpointOf(asked), endpoint, scopes });
  const judged = judgeDeviceAnswer(answer, discovery.zone);
  const came = judged.ok ? 'a user code' : judged.problem;
  ports.journal.record({
    name: 'device-authorization',
    asked: `POST ${endpoint}`,
    came,
    rule: 'RFC 8628 section 3.2',
    verdict: judged.ok ? 'pass' : 'failure',
  });
  if (!judged.ok) {
    throw tokenFailure(judged, discovery.authorizationServer.issuer, ports.journal);
  }
  await ports.door.check({
    url: judged.device.verificationUri,
    namedBy: discovery.zone,
    signal: asked.signal,
  });
  return judged.device;
}

function show(terminal: Ports['terminal'], device: DeviceAuthorization): void {
  terminal.tell('Open this address in a browser, on any computer or phone:');
  terminal.tell(`  ${printable(device.verificationUri, 2048)}`);
  terminal.tell(`and type this code there:  ${printable(device.userCode, 64)}`);
}

async function waitForToken(ports: Ports, asked: Asked, device: DeviceAuthorization, timeoutMs: number) {
  const { discovery, scopes, signal } = asked;
  const { issuer, tokenEndpoint } = discovery.authorizationServer;
  const end = ports.clock.monotonic() + Math.min(device.lifetimeMs, timeoutMs);
  let pauseMs = device.intervalMs;
  ports.progress.begin('Waiting for the answer in the browser');
  for (;;) {
    await ports.clock.sleep(pauseMs, signal);
    if (ports.clock.monotonic() >= end) throw deviceCodeExpired(issuer, ports.journal.steps);
    const { deviceCode } = device;
    const answer = await sendDeviceTokenRequest(ports.door, {
      ...endpointOf(asked),
      endpoint: tokenEndpoint,
      deviceCode,
    });
    const judged = judgeTokenAnswer(answer, { now: ports.clock.now(), requested: scopes });
    if (judged.ok) return judged.token;
    const error = judged.problem === 'refused' ? judged.error : '';
    if (error === 'slow_down' || judged.problem === 'transient') pauseMs += slowDownMs;
    else if (error === 'expired_token') throw deviceCodeExpired(issuer, ports.journal.steps);
    else if (error === 'access_denied') throw authorizationDenied(issuer, error, '', ports.journal.steps);
    else if (error !== 'authorization_pending') throw tokenFailure(judged, issuer, ports.journal);
  }
}

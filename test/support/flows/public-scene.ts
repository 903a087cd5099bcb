import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type ClientRequest, get as getPlain, type IncomingMessage } from 'node:http';
import { get } from 'node:https';
import type { LookupFunction } from 'node:net';
import { startAuthority } from '../certificates.js';
import { startHttp, type TestServer } from '../http-server.js';
import type { Hosts } from '../own-network.js';
import { type OwnIssuer, startOwnIssuer } from './own-issuer.js';
import { type OwnServer, startOwnServer } from './own-server.js';

const serverAddress = '93.184.215.14';
const issuerAddress = '93.184.216.34';
const privateAddress = '10.1.2.3';

/** The names of a small internet: who is public, who is near, who is both. */
export const publicHosts: Hosts = {
  'mcp.example': [serverAddress],
  'login.example': [issuerAddress],
  'moving.example': [issuerAddress],
  'inside.example': [privateAddress],
  'local.example': ['127.0.0.1'],
  'half.example': [serverAddress, '127.0.0.1'],
  'home.example': [privateAddress, serverAddress],
};

/** Hosts that a public server may not name. */
export const nearHosts = [
  'inside.example',
  'local.example',
  'half.example',
  'localhost',
  '127.0.0.1',
  '[::1]',
  privateAddress,
] as const;

/** A public protected server and authorization server, and what stands on private and loopback addresses beside them. */
export interface PublicScene extends AsyncDisposable {
  readonly server: OwnServer;
  readonly issuer: OwnIssuer;
  readonly caFile: string;
  /** The one port of all near hosts. It is the issuer's, too: a name that moves leads there. */
  readonly nearPort: number;
  /** Connections to near hosts so far. */
  nearConnections(): number;
  /** What a browser does with the address that it is opened with: it follows redirects. */
  browse(url: string): Promise<void>;
}

/** Opens it inside of a network that was entered with `publicHosts`. The two servers are honest until the test changes them. */
export async function openPublicScene(name = 'mcp.example', issuerName = 'login.example'): Promise<PublicScene> {
  const authority = await startAuthority();
  const names = Object.keys(publicHosts).map((host) => `DNS:${host}`);
  const tls = await authority.issue(
    [...names, 'DNS:localhost', 'IP:127.0.0.1', 'IP:::1', `IP:${privateAddress}`].join(),
  );
  const address = issuerName === 'home.example' ? serverAddress : issuerAddress;
  const issuer = await startOwnIssuer({ name: issuerName, address, tls });
  const server = await startOwnServer({ name, address: serverAddress, tls });
  server.publish({ authorization_servers: [issuer.issuer] });
  const nearPort = Number(new URL(issuer.issuer).port);
  const near: TestServer[] = [];
  for (const at of ['127.0.0.1', '::1', privateAddress]) {
    near.push(await startHttp((_, response) => void response.end('{}'), tls, at, nearPort));
  }
  const ca = await readFile(authority.caFile);
  return {
    server,
    issuer,
    caFile: authority.caFile,
    nearPort,
    nearConnections: () => near.reduce((sum, { connections }) => sum + connections.opened, 0),
    browse: (url) => follow(url, ca, address),
    [Symbol.asyncDispose]: async () => {
      for (const one of [server, issuer, ...near, authority]) await one[Symbol.asyncDispose]();
    },
  };
}

/** The login pages are at `address`, whatever the names say by then. */
async function follow(start: string, ca: Buffer, address: string): Promise<void> {
  const lookup: LookupFunction = (_host, _options, done) => done(null, address, 4);
  const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  const options = { headers, agent: false, autoSelectFamily: false };
  const follows = (url: URL): ClientRequest =>
    url.protocol === 'https:' ? get(url, { ...options, ca, lookup }) : getPlain(url, options);
  let url: URL | undefined = new URL(start);
  for (let hops = 0; url !== undefined && hops < 10; hops += 1) {
    const [response] = (await once(follows(url), 'response')) as [IncomingMessage];
    response.resume();
    const location: string | undefined = response.headers.location;
    url = location === undefined ? undefined : new URL(location, url);
  }
}

import { type OwnIssuer, startOwnIssuer } from './own-issuer.js';
import { type OwnServer, startOwnServer } from './own-server.js';

/** A protected server and its authorization server, both of the test's own. */
export interface OwnScene extends AsyncDisposable {
  readonly server: OwnServer;
  readonly issuer: OwnIssuer;
}

/** Starts both, honest until the test changes them. */
export async function openOwnScene(): Promise<OwnScene> {
  const [server, issuer] = await Promise.all([startOwnServer(), startOwnIssuer()]);
  server.publish({ authorization_servers: [issuer.issuer] });
  return {
    server,
    issuer,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createSecureContext, createServer, type SecureContext } from 'node:tls';
import { contextThatTrusts } from '../../src/core/trusted-authorities.js';
import { startAuthority } from '../support/certificates.js';

test('an authority of ours is trusted beside Node’s, by this context alone [A-130]', async () => {
  await using authority = await startAuthority();
  const ca = await readFile(authority.caFile, 'utf8');
  const { cert, key } = await authority.issue('DNS:good.example');
  const server = createServer({ cert, key }, (socket) => socket.end());
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const verdict = async (secureContext: SecureContext): Promise<string> => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'good.example', secureContext });
    try {
      await once(socket, 'secureConnect');
      return 'trusted';
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? '';
    } finally {
      socket.destroy();
    }
  };
  try {
    const unknown = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
    assert.equal(await verdict(contextThatTrusts([])), unknown);
    assert.equal(await verdict(contextThatTrusts([ca])), 'trusted');
    assert.equal(await verdict(contextThatTrusts([])), unknown);
    assert.equal(await verdict(createSecureContext()), unknown);
  } finally {
    server.close();
  }
});

test('what is no certificate is refused as Node refuses it', () => {
  for (const pem of ['', 'no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
    const outcomeOf = (make: () => unknown): string => {
      try {
        make();
        return 'taken';
      } catch (error) {
        return String(error);
      }
    };
    assert.equal(
      outcomeOf(() => contextThatTrusts([pem])),
      outcomeOf(() => createSecureContext({ ca: [pem] })),
    );
  }
});

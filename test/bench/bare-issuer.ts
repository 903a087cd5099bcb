import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The authorization server that a refresh is measured on: it checks nothing, signs nothing, and responds at once with a token
// that needs another refresh. Beside it a resource that takes every token. Prints its address.
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    const token = { access_token: 'fresh', refresh_token: 'next', token_type: 'Bearer', expires_in: 5, scope: 'notes' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token));
  });
});

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().once('end', () => process.exit()); // ends with who started it

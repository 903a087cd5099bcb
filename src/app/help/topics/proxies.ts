import type { Topic } from './topic.js';

const text = `
\`HTTPS_PROXY\` and \`NO_PROXY\` are heeded: https goes through the proxy by CONNECT, and what is on loopback never does. Programs that
\`setup\` writes an entry for may not pass \`HTTPS_PROXY\` on to postern: --with-proxy names it in the entry, unless it has a password.

    HTTPS_PROXY=http://proxy.example:3128 postern login https://example.com/mcp
    postern setup claude-desktop work --with-proxy --write

## Certificates

A proxy that opens TLS has an authority of its own. It is trusted, beside those that Node.js trusts, where its PEM file is named by
\`NODE_EXTRA_CA_CERTS\`, or by \`caFile\` in config.json (\`POSTERN_CA_FILE\`).

Client certificates stand in config.json, each for the addresses that are named with it, and for nobody else:

    {"clientCertificates": [{"origins": ["https://example.com"], "certFile": "/home/me/cert.pem", "keyFile": "/home/me/key.pem"}]}

The key file has to be yours and closed to others (chmod 600). Certificates are always checked, whatever
\`NODE_TLS_REJECT_UNAUTHORIZED\` says.

\`postern proxy\` is something else: an HTTP server on this machine that puts the token on each request. See \`postern help hosts\`.
`;

export const proxies: Topic = {
  name: 'proxies',
  summary: 'HTTP proxies, certificate authorities, client certificates',
  text: () => text,
};

import type { Topic } from './topic.js';

const text = `
\`HTTPS_PROXY\` and \`NO_PROXY\` count: https goes through the proxy by CONNECT, and loopback never does. Programs that
\`setup\` writes an entry for may not pass \`HTTPS_PROXY\` on to postern: --with-proxy names it in the entry, unless it has a password.

    HTTPS_PROXY=http://proxy.example:3128 postern login https://example.com/mcp
    postern setup claude-desktop work --with-proxy --write

## Certificates

A proxy that opens TLS has an authority of its own. It is trusted, beside those that Node.js trusts, once its PEM file is named by
\`NODE_EXTRA_CA_CERTS\`, or by \`caFile\` in config.json (\`POSTERN_CA_FILE\`).

Client certificates go into config.json, each for the addresses that are named with it and no others:

    {"clientCertificates": [{
      "origins": ["https://example.com"],
      "certFile": "/home/me/cert.pem",
      "keyFile": "/home/me/key.pem"
    }]}

The key file has to be yours and closed to others (chmod 600). Certificates are always checked, whatever
\`NODE_TLS_REJECT_UNAUTHORIZED\` says.

## A proxy of postern’s own, at an address that stays

\`postern proxy\` is something else: an HTTP server on this machine that puts the token on each request. For a program that takes a URL and
nothing else, install one, for one login:

    postern proxy work --install --host lm-studio
    postern setup cursor work --proxy --write
    postern proxy work --rotate --host cursor
    postern proxy work --uninstall --host lm-studio
    postern proxy work --uninstall

The first line prints the address for that program, this one time. \`setup --proxy\` gives a program that it knows an address with a key of its
own; \`--rotate\` makes another key, and writes it where \`setup\` has written. \`--uninstall --host\` withdraws the key of one program,
at once, \`--uninstall\` takes back all of it.

Each program has a key of its own, in its address or in the header \`Postern-Key\`; only a digest of it is kept here. Whoever has the address
can use the login on this machine: files that hold one are closed to others (0600).

On Linux systemd (\`systemctl --user\`) holds the port from the start of your session, so that no other program can take it, and starts
the proxy with the first connection. Before you log in to this machine nobody holds it, unless your session stays: \`loginctl enable-linger\`. On
macOS launchd starts it when you log in, on Windows the Task Scheduler; there another program could take the port first: \`postern doctor\`
tells who has it. Where no service manager runs, the commands that are left to type are printed; the service alone is started by
\`postern proxy ID --service\`.

It opens no browser. Where the login has ended, programs get 503 with the command to type, and go on after it. The address stays when the
login is renamed, ended and made again. See also \`postern help hosts\`.
`;

export const proxies: Topic = {
  name: 'proxies',
  summary: 'HTTP proxies, certificates, and a local proxy that is installed',
  text: () => text,
};

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

\`postern proxy\` is something else: an HTTP server on this machine that puts the token on each request. For a program that takes a URL,
give it a port and a key that stay. The first start makes the key file, closed to others (0600), and prints the address:

    postern proxy work --port 8123 --key-file ~/proxy.key

Who has the address can use the login on this machine. For another key, remove the file, and start the proxy again. An entry with the
address, for a program that \`setup\` knows (it is printed, and written nowhere):

    postern setup cursor work --proxy 8123 --key-file ~/proxy.key

## The same in the background

--print-service prints a unit for your service manager (systemd, launchd, windows) that starts that very command line. It holds no key.

    postern proxy work --port 8123 --key-file ~/proxy.key --print-service systemd

Linux: save it as ~/.config/systemd/user/postern-proxy.service. It runs while you are logged in to the machine, and with
\`loginctl enable-linger\` from its start on. The first line starts it; the second one stops it, and the file can be removed:

    systemctl --user enable --now postern-proxy
    systemctl --user disable --now postern-proxy

macOS: save it as ~/Library/LaunchAgents/postern.proxy.work.plist, where work is the login’s name, and remove it there:

    launchctl load -w ~/Library/LaunchAgents/postern.proxy.work.plist
    launchctl unload -w ~/Library/LaunchAgents/postern.proxy.work.plist

Windows: save it as proxy.xml. The task starts when you log in; the second line starts it at once, the third removes it:

    schtasks /Create /TN postern-proxy /XML proxy.xml
    schtasks /Run /TN postern-proxy
    schtasks /Delete /TN postern-proxy

It opens no browser. Where the login has ended, programs get 503 with the command to type, and go on after it; a start without a login
is tried again. The address names the login: after \`postern rename\` print the unit again. A variable such as HTTPS_PROXY is one more line
of the unit (\`Environment=\`), and where that holds a password, of a file that only you can read (\`EnvironmentFile=\`). While the proxy is down
another program of this machine could take its port, and would be shown the key by the next program that asks. See also \`postern help hosts\`.
`;

export const proxies: Topic = {
  name: 'proxies',
  summary: 'HTTP proxies, certificates, and a local proxy in the background',
  text: () => text,
};

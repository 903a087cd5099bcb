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

    postern proxy work --port 8123 --key-file ~/.config/postern/proxy.key

Who has the address can use the login on this machine. For another key, remove the file, and start the proxy again. An entry with the
address, for a program that \`setup\` knows (it is printed, and written nowhere):

    postern setup cursor work --proxy 8123 --key-file ~/.config/postern/proxy.key

## The same in the background

--print-service prints a unit for your service manager that starts that very command line. It holds no key. Linux:

    mkdir -p ~/.config/systemd/user
    postern proxy work --port 8123 --key-file ~/.config/postern/proxy.key --print-service systemd > ~/.config/systemd/user/postern-proxy.service
    systemctl --user enable --now postern-proxy

It runs while you are logged in to the machine, and with \`loginctl enable-linger\` from its start on. To remove it:

    systemctl --user disable --now postern-proxy
    rm ~/.config/systemd/user/postern-proxy.service

macOS, and there its removal:

    postern proxy work --port 8123 --key-file ~/.config/postern/proxy.key --print-service launchd > ~/Library/LaunchAgents/postern.proxy.work.plist
    launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/postern.proxy.work.plist
    launchctl bootout gui/$(id -u)/postern.proxy.work
    rm ~/Library/LaunchAgents/postern.proxy.work.plist

Windows, and there its removal:

    postern proxy work --port 8123 --key-file %APPDATA%\\postern\\proxy.key --print-service windows > proxy.xml
    schtasks /Create /TN "postern proxy" /XML proxy.xml
    schtasks /Run /TN "postern proxy"
    schtasks /Delete /TN "postern proxy"

It opens no browser. Where the login has ended, programs get 503 with the command to type, and go on after it; a start without a login
is tried again. The address names the login: after \`postern rename\` print the unit again. A variable such as HTTPS_PROXY is one more line
of the unit (\`Environment=\`), and where that holds a password, of a file that only you can read (\`EnvironmentFile=\`). While the proxy is down
another program of this machine could take its port, and would see the key of whoever asks there. See also \`postern help hosts\`.
`;

export const proxies: Topic = {
  name: 'proxies',
  summary: 'HTTP proxies, certificates, and a local proxy in the background',
  text: () => text,
};

import type { Topic } from './topic.js';

const text = `
## Where a token goes

An access token goes to the server that it was issued for, at the address that was logged in to and below, and to nobody else.
Redirects are not followed with it. Just before a request leaves, the stored item is compared with the address.

## What is trusted

Only https; plain http is for servers on loopback. A server on the internet cannot lead a login to an address in your network.
Authorization servers are compared by their exact issuer, PKCE is required, and metadata that breaks a rule ends the login with
exit code 5 and the rule’s name. A server’s text is cleaned before it reaches your terminal.

## Where secrets are

In the keychain, or in the store that you chose: \`postern help stores\`. Never in an argument, a log, or the list of logins. What
--verbose shows has \`***\` for every secret that is known.

A running postern has the token in its memory. Node.js’ diagnostic reports are switched off, but a core dump (\`ulimit -c\`,
systemd-coredump) or a heap snapshot that you ask Node.js for (\`NODE_OPTIONS\`) would hold it.

## Tokens that are bound to a key (DPoP)

Anyone who holds a Bearer token can use it. Where the server asks for DPoP (RFC 9449), in its metadata or its 401, a login gets a key
of its own, kept in the store. Each request then carries a proof made with that key, for that request alone: a stolen token opens
nothing. A new login, also for more scope, has a new key. \`postern status -l\` shows which logins are bound.

\`postern call\`, \`shell\`, \`request\`, \`bridge\` and \`proxy\` send the proofs. \`token\`, \`credential\`, \`exec\` and entries that hand a
token on cannot: give those programs \`postern bridge\`, the address of \`postern proxy\`, or log in with --no-dpop.

    postern login https://example.com/mcp --dpop
    postern login https://example.com/mcp --no-dpop

--dpop asks for a bound token at any server, now and later. It fails where the authorization server does not announce DPoP, or issues a
Bearer token. Without it, a first login accepts a Bearer token instead, and says so. A bound login stays bound while its server asks
for that: where the authorization server no longer offers it, the login fails until you add --no-dpop.

A server may ignore proofs and take the bound token as a Bearer token (RFC 9449 section 7.2). postern finds that out with one refused
request, and keeps it with the login. With --dpop it tries this only where a 401 has no challenge. Nonces are taken from responses,
each for its own server. Where a proof is refused and the server’s clock differs from this machine’s, the server’s time is used. To
try it: \`postern sandbox --dpop required --dpop-nonce\`.

## What can use a login

Whatever runs as you can: it can run \`postern token\`. \`postern proxy\` lends a login to whoever has its address, which holds a key
that is new at each start; --socket is for you alone; --no-key is for every user of the machine. \`postern exec\` hands the token to the
command, and to all that it starts.

## Browser tabs

What you type opens the browser. What another program starts is held back: 3 tabs an hour until a token has worked, one at a time for
a server, and a page that asks before the first login at a new server.

A page that a server wants you to see in the middle of a call is opened after a yes only, which no option gives: postern shows which
server asks, why, and the whole address, and what is odd about its host. It never fetches that page, and what you type there does not
come through postern. A page that is not https is not offered (a server on this computer may have http here).
`;

export const security: Topic = {
  name: 'security',
  summary: 'where tokens go, where secrets are, what can use a login',
  text: () => text,
};

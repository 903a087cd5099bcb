import type { Topic } from './topic.js';

const text = `
    postern login https://example.com/mcp --name work
    postern login https://example.com/mcp --no-browser
    postern login https://example.com/mcp --device
    postern login work --account second
    postern login --from cursor
    postern login --from cursor --all
    postern login work --verbose

The first line opens the browser and calls the login \`work\`, a name that every other command takes. --no-browser prints the
address; the answer comes back by itself, or you paste the address that the browser ends on. --device shows a code to type in a
browser on any device, where the authorization server offers that. --account keeps a second login for the same server. --from
logs in to a server that another program is set up for; with --all, to every one of them. --verbose shows every step and every
request.

## Names and accounts

    postern rename linear work
    postern switch work

Without --name a login is called by its server’s domain. \`rename\` gives it another name; \`switch\` chooses which account is meant
where a server is named and no --account.

## Another browser

    postern login work --browser-with firefox --browser-profile Work

Both are remembered with the login; --browser-with default forgets them. Where nothing was chosen, \`BROWSER\` counts.

## Where no browser opens

Over SSH, in a container, under WSL or without a display the login says why, and how the redirect URL finds its way back. Where
the authorization server offers a code, it is shown beside the address: use whichever is easier.

In a container the browser outside reaches a port that is published to your own computer alone:

    docker run -p 127.0.0.1:3118:3118 …
    postern login work --redirect-uri http://127.0.0.1:3118/callback --listen-address 0.0.0.0

The redirect address stays your own computer’s; the listener is then open to whatever reaches the container, and takes one answer
with the login’s state. Outside of a container --listen-address is refused, and it is never kept.

## Several at once

Logins to one server at the same moment, in however many terminals or programs, open one browser tab: the others wait, and take
the login that comes of it.

## Started by another program

A terminal is not needed. Started by an agent or an editor, \`login\`, \`call --login\`, \`request --login\`, \`bridge\` and \`proxy\` open
the browser where there is a display. \`CI\` and --non-interactive forbid that; --browser allows it again.

What you type at a terminal always opens the browser. A login that nobody typed is held back once 3 tabs in an hour have led to
no working token. Where there is no terminal to ask at, the answer is no. The first login at a server, or at an authorization
server, begins on a page with one button, which names both and the program that asked.

## Servers behind a gateway

    postern login https://example.com/mcp --header-file headers
    vault read -field=key secret/gateway | sed 's/^/X-Api-Key: /' | postern login work --header-file -
    postern login work --no-headers

Some servers want more than a login: the key of a gateway, the name of a tenant. --header-file takes such headers from a file,
or with - from stdin, \`Name: value\`, one a line; blank lines, and those that begin with #, are left out. --header-env takes
the same text from a variable, which no program that is started from here inherits. They never stand on a command line, which
others can read. 16 headers, 4,096 characters each.

They are kept in the store with the login, and sent with each request to the server’s own address and what is below it, and to
its metadata (RFC 9728) on the same origin where that is refused without them: never to another origin, to an authorization
server, or along a redirect. The next login keeps them where it gives no others; --no-headers drops them; \`status -l\` shows their
names. \`call\`, \`request\`, \`shell\`, \`bridge\`, \`proxy\` and \`doctor\` take the two options, too, for one run. With \`proxy\` they
replace a caller’s headers of the same names; with \`request\`, --header wins. \`credential headers\` prints them, too, for programs
that get all their headers from a helper.

Names that HTTP, the protocol or the login set are refused: \`Authorization\`, \`Host\`, \`Cookie\`, \`Origin\`, \`Accept\`, \`Content-…\`,
\`Connection\` and its like, \`Proxy-…\`, \`Mcp-…\`, \`Sec-…\`, \`If-…\`, \`Range\` and \`Last-Event-ID\`.

## Servers of 2025-03-26

    postern login https://example.com/mcp --legacy

Such servers name no authorization server. With --legacy, and only then, their own origin is taken as one: by its metadata (RFC
8414), else at /authorize, /token and /register. This is done only where no other metadata is found, and is kept with the login.
The price: nothing binds the token to this server, so it may be good for everything at that origin.

    postern login https://example.com/mcp --authorization-server https://as.example --client-id ID

Where you know the authorization server of such a server, name it, with your client there or with --legacy. The price is the same:
the token may be good for everything at that authorization server.

## An authorization server that takes no resource

    postern login https://example.com/mcp --resource api://SPELLED-AS-THERE
    postern login https://example.com/mcp --no-resource

Every request names the server that the token is for (\`resource\`, RFC 8707). Entra refuses one that does not match the scopes
(AADSTS9010010); others know the server under another name. The failure says so; postern never leaves it out unasked. The price:
such a token may be valid elsewhere, too, and the server that gets it could use it there. Each login says so, \`postern status\` shows it, and refreshes and later logins
stay with it; --resource with the server’s own spelling ends it.

## End a login

    postern logout work
    postern logout work --force
    postern logout --all

\`logout\` revokes the login at its authorization server, as far as that can be reached, and forgets it here; with --force even where
its store does not open any more. \`postern uninstall\` shows, then takes back, everything that postern wrote on this machine.
`;

export const loggingIn: Topic = {
  name: 'logging-in',
  summary: 'log in with and without a browser, from anywhere',
  text: () => text,
};

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
address and takes the redirect URL that you paste, or lets it come by itself. --device shows a code to type in a browser on
any device, where the authorization server offers that. --account keeps a second login for the same server. --from takes a
server that another program is set up for, with --all every one of them. --verbose tells every step and every request.

## Names and accounts

    postern rename linear work
    postern switch work

Without --name a login is called by its server’s domain. \`rename\` gives it another name; \`switch\` chooses which account is meant
where a server is named and no --account.

## Another browser

    postern login work --browser-with firefox --browser-profile Work

Both are remembered with the login; --browser-with default goes back. \`BROWSER\` is heeded where nothing was chosen.

## Where no browser opens

Over SSH, in a container, under WSL or without a display the login says why, and how the redirect URL finds its way back. Where
the authorization server offers a code, it stands beside the address; whichever of the two is used first ends the other.

## Several at once

Logins to one server at the same moment, in however many terminals or programs, open one browser tab: the others wait, and take
the login that comes of it.

## Started by another program

A terminal is not needed. Started by an agent or an editor, \`login\`, \`call --login\`, \`request --login\`, \`bridge\` and \`proxy\` open
the browser where there is a display. \`CI\` and --non-interactive forbid that; --browser allows it again.

What you type at a terminal always opens the browser. What nobody typed is held back after 3 tabs an hour without a token that
worked. Whatever would be asked at a terminal counts as a no, and the first login at a server or an authorization server begins on
a page that names both, and the program that began it, with one button.

## Servers of 2025-03-26

    postern login https://example.com/mcp --legacy

They publish no metadata that names an authorization server. With --legacy, and never without, their own origin is taken for it:
by its metadata (RFC 8414), else at /authorize, /token and /register. It counts only where no other metadata is found, and is kept
with the login. What it costs: nothing binds the token to this server, so it may be good for everything at that origin.

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

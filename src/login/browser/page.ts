import { createHash } from 'node:crypto';
import { defaultAccount, type LoginRecord } from '../../core/records.js';
import { htmlText, printable } from '../../core/text/printable.js';

export interface LoginConsent {
  readonly program: string;
  readonly server: string;
  readonly issuer: string;
  /** What the token is asked for, where the program chose that; null: the server is not named. */
  readonly requestedResource?: string | null;
}

export interface LoggedIn extends Pick<LoginRecord, 'name' | 'server' | 'account' | 'identity'> {
  /** It is the login at a company's provider, and not yet one at a server. */
  readonly isProvider?: boolean;
}

/** A finished page. Nothing of a request that came is ever part of it. */
export interface Page {
  readonly html: string;
  /** Value of the `Content-Security-Policy` header: nothing is loaded but the page's own style. */
  readonly contentSecurityPolicy: string;
}

const maxShown = 300;

type Tone = 'good' | 'bad' | 'plain';

const neverCopy = 'If anyone asks for this page’s address, or the one before it, do not give it.';

type Texts = readonly [tone: Tone, title: string, text: string, note: string];

/** What is on each page but the one that asks; `pending`: the outcome is not known yet, `nothing`: for everything else. */
const texts = {
  stored: ['good', 'You are logged in', 'You can close this tab and go back to the terminal.', neverCopy],
  failed: [
    'bad',
    'The login did not succeed',
    'Look in the terminal: it says what happened, and what to do next. You can close this tab.',
    neverCopy,
  ],
  declined: [
    'plain',
    'You declined; nothing was stored',
    'You can close this tab. To log in after all, run the same command in the terminal again.',
    'If it was not you who said no, look in the terminal: it says what to do.',
  ],
  pending: [
    'plain',
    'The login is not finished yet',
    'Look in the terminal to see how it ends. You can close this tab.',
    neverCopy,
  ],
  unopened: [
    'bad',
    'The login page could not be opened',
    'Look in the terminal: it says what happened. If the login still waits there, load this page again.',
    neverCopy,
  ],
  used: [
    'plain',
    'This link was used before',
    'It works in one browser only. To go on in this one, open the address that the terminal shows.',
    'If it was not you who opened it the first time, somebody else on this computer may have: the terminal will ask you.',
  ],
  nothing: [
    'plain',
    'Nothing to see here',
    'This address only receives the answer to a login that was started in a terminal. If a login page sent you here, that login is over: start it again in the terminal.',
    'Never copy an address like this one for anyone: nobody needs it.',
  ],
} as const satisfies Readonly<Record<string, Texts>>;

export type Pages = Readonly<Record<keyof typeof texts, Page>> & {
  loggedIn(login: LoggedIn): Page;
  /** Asks the person, before the login page, whether a program is to log in; `next`: where the button leads. */
  consent(consent: LoginConsent, next: string): Page;
};

export function createPages(): Pages {
  const hash = createHash('sha256').update(pageStyle).digest('base64');
  const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
  const page = (...content: Parameters<typeof htmlOf>): Page => ({ html: htmlOf(...content), contentSecurityPolicy });
  const constant = Object.entries<Texts>(texts).map(([name, content]) => [name, page(...content)]);
  return {
    ...(Object.fromEntries(constant) as Readonly<Record<keyof typeof texts, Page>>),
    loggedIn: (login) => page(...texts.stored, listOf(rowsOf(login))),
    consent: ({ program, server, issuer, requestedResource }, next) =>
      page(
        'plain',
        'Log in for a program?',
        'A program on this computer wants to use a server in your name.',
        'If you do not know why, close this tab: then nothing happens.',
        `${listOf([
          ['Program', program],
          ['Server', server],
          ['Login page of', issuer],
          ['Access to', accessOf(requestedResource)],
        ])}<p><a class="button" href="${next}">Go to the login page</a></p>
`,
      ),
  };
}

/** What a token may be good for that a program has asked for otherwise than the server says. */
function accessOf(requestedResource: string | null | undefined): string | undefined {
  if (requestedResource === undefined) return undefined;
  const what = requestedResource ?? 'this server is not named, so perhaps all that you may use there';
  return `${what} (the program chose that)`;
}

type Row = readonly [what: string, text: string | undefined];

/** Who is logged in where; the account only where it is not the usual one. */
function rowsOf({ name, server, account, identity, isProvider = false }: LoggedIn): readonly Row[] {
  const own = account === defaultAccount ? undefined : account;
  return [
    [isProvider ? 'Company’s provider' : 'Server', server],
    ['Name here', name],
    ['Account', own],
    ['Signed in as', identity],
  ];
}

function listOf(rows: readonly Row[]): string {
  const known = rows.flatMap(([what, text]) => (text === undefined ? [] : `<dt>${what}</dt><dd>${shown(text)}</dd>`));
  return `<dl>${known.join('')}</dl>\n`;
}

/**
 * Text of others as it may be in a page. An address, of a server or a person, is broken where its parts begin before it is
 * broken elsewhere, and its scheme stays with its host.
 */
function shown(text: string): string {
  const pieces = printable(text, maxShown).split(/(?<=[^/:]\/)(?=[^/])|(?=[.?&@])/);
  return pieces.map(htmlText).join('<wbr>');
}

/** A wall with a small gate in it; its door is open when the login went well. */
const marks: Readonly<Record<Tone, string>> = {
  good: '<path class="way" d="M25 50V37a7 7 0 0 1 14 0v13z"/><path class="door" d="M25 50V37a7 7 0 0 1 2.6-5.4L20 34v19z"/>',
  bad: '<path class="door" d="M25 50V37a7 7 0 0 1 14 0v13z"/><circle class="knob" cx="36" cy="42" r="1.3"/>',
  plain: '<path class="door" d="M25 50V37a7 7 0 0 1 14 0v13z"/><circle class="knob" cx="36" cy="42" r="1.3"/>',
};

function markOf(tone: Tone): string {
  const wall = '<path class="wall" d="M8 50V14h8v6h8v-6h16v6h8v-6h8v36z"/><path class="ground" d="M4 50h56"/>';
  return `<svg viewBox="2 10 60 46" width="120" height="92" aria-hidden="true">${wall}${marks[tone]}</svg>`;
}

function htmlOf(tone: Tone, title: string, text: string, note: string, more = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · postern</title>
<style>${pageStyle}</style>
</head>
<body class="${tone}">
<main>
${markOf(tone)}
<h1>${title}</h1>
<p>${text}</p>
${more}<p class="note">${note}</p>
</main>
<footer>postern</footer>
</body>
</html>
`;
}

/** In light and dark. Its hash is in the pages' security policy. */
const pageStyle = `
:root {
  color-scheme: light dark;
  --back: #f4f2ee; --card: #ffffff; --line: #e2ded6; --text: #22252b; --soft: #5d636e;
  --wall: #8b8578; --door: #6b4a2f; --knob: #f0d9a8; --way: #ffd77a;
  --good: #1d7a4c; --bad: #b3362b; --plain: #4d6178;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14161a; --card: #1d2026; --line: #31353e; --text: #eceef2; --soft: #a3aab7;
    --wall: #8a919e; --door: #6a4930; --knob: #e5c98f; --way: #ffd77a;
    --good: #5fd09a; --bad: #ff8d80; --plain: #9fb6d3;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; padding: 1.5rem;
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1rem;
  background: var(--back); color: var(--text);
  font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  width: 100%; max-width: 30rem; padding: 2.25rem 2rem 1.75rem; text-align: center;
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  border-top: 4px solid var(--tone);
}
.good { --tone: var(--good); } .bad { --tone: var(--bad); } .plain { --tone: var(--plain); }
h1 { margin: 0.75rem 0 0.5rem; font-size: 1.6rem; line-height: 1.25; color: var(--tone); text-wrap: balance; }
p { margin: 0; text-wrap: pretty; }
dl { margin: 1.25rem 0; text-align: left; }
dt { color: var(--soft); font-size: 0.85rem; }
dd { margin: 0 0 0.6rem; font-weight: 600; overflow-wrap: anywhere; }
.button {
  display: inline-block; padding: 0.6rem 1.25rem; border-radius: 0.5rem; text-decoration: none;
  background: var(--tone); color: var(--card); font-weight: 600;
}
.button:focus-visible { outline: 3px solid var(--way); outline-offset: 2px; }
.note { margin-top: 1.5rem; padding-top: 1.1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.9rem; text-wrap: balance; }
footer { color: var(--soft); font-size: 0.85rem; letter-spacing: 0.08em; }
.wall { fill: var(--wall); } .door { fill: var(--door); } .knob { fill: var(--knob); } .way { fill: var(--way); }
.ground { stroke: var(--line); stroke-width: 2; stroke-linecap: round; }
@media (max-width: 30rem) { main { padding: 1.75rem 1.25rem 1.25rem; } h1 { font-size: 1.4rem; } }
`;

import { createHash } from 'node:crypto';
import type { LoginConsent } from '../../ports.js';
import { htmlText } from '../../primitives/html-text.js';
import { printable } from '../../primitives/printable.js';
import { pageStyle } from './page-style.js';

/** A finished page. Nothing of a request that came is ever part of it. */
export interface Page {
  readonly html: string;
  /** Value of the `Content-Security-Policy` header: nothing is loaded but the style that stands in the page. */
  readonly contentSecurityPolicy: string;
}

export interface Pages {
  /** Asks the person, before the login page, whether a program is to log in; `next`: where the button leads. */
  consent(consent: LoginConsent, next: string): Page;
  readonly stored: Page;
  readonly failed: Page;
  /** The outcome is not known yet. */
  readonly pending: Page;
  /** There was no way to the login page. */
  readonly unopened: Page;
  /** The one-time link was used before. */
  readonly used: Page;
  /** For everything else. */
  readonly nothing: Page;
}

/** Most characters of an address or a name on a page. */
const longestShown = 300;

type Tone = 'good' | 'bad' | 'plain';

const neverCopy = 'Never copy this address, or the one before it, for anyone: nobody needs it.';

/** Makes the pages that a person can meet at the callback listener. */
export function createPages(): Pages {
  const hash = createHash('sha256').update(pageStyle).digest('base64');
  const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
  const page = (tone: Tone, title: string, text: string, note: string, more = ''): Page => ({
    html: htmlOf(tone, title, text, note, more),
    contentSecurityPolicy,
  });
  return {
    consent: ({ program, server, issuer }, next) =>
      page(
        'plain',
        'Log in for a program?',
        'A program on this computer wants to use a server in your name.',
        'If you do not know why, close this tab: then nothing happens.',
        `<dl><dt>Program</dt><dd>${shown(program)}</dd><dt>Server</dt><dd>${shown(server)}</dd><dt>Login page of</dt><dd>${shown(issuer)}</dd></dl>
<p><a class="button" href="${next}">Go to the login page</a></p>
`,
      ),
    stored: page(
      'good',
      'You are logged in',
      'You can close this tab and go back to the terminal.',
      neverCopy,
    ),
    failed: page(
      'bad',
      'The login did not succeed',
      'Look in the terminal: it says what happened, and what to do next. You can close this tab.',
      neverCopy,
    ),
    pending: page(
      'plain',
      'The login is not finished yet',
      'Look in the terminal to see how it ends. You can close this tab.',
      neverCopy,
    ),
    unopened: page(
      'bad',
      'The login page could not be opened',
      'Look in the terminal: it says what happened. If the login still waits there, load this page again.',
      neverCopy,
    ),
    used: page(
      'bad',
      'This link was used before',
      'It works in one browser only. To go on in this one, open the address that the terminal shows.',
      'If it was not you who opened it the first time, somebody else on this computer may have: the terminal will ask you.',
    ),
    nothing: page(
      'plain',
      'Nothing to see here',
      'This address only receives the answer to a login that was started in a terminal. If a login page sent you here, that login is over: start it again in the terminal.',
      'Never copy an address like this one for anyone: nobody needs it.',
    ),
  };
}

/** Text of others as it may stand in a page. */
function shown(text: string): string {
  return htmlText(printable(text, longestShown));
}

/** A wall with a small gate in it; the gate's door stands open when the login went well. */
const marks: Readonly<Record<Tone, string>> = {
  good: '<path class="way" d="M25 50V37a7 7 0 0 1 14 0v13z"/><path class="door" d="M25 50V37a7 7 0 0 1 2.6-5.4L20 34v19z"/>',
  bad: '<path class="door" d="M25 50V37a7 7 0 0 1 14 0v13z"/><circle class="knob" cx="36" cy="42" r="1.3"/>',
  plain:
    '<path class="door" d="M25 50V37a7 7 0 0 1 14 0v13z"/><circle class="knob" cx="36" cy="42" r="1.3"/>',
};

function markOf(tone: Tone): string {
  const wall =
    '<path class="wall" d="M8 50V14h8v6h8v-6h16v6h8v-6h8v36z"/><path class="ground" d="M4 50h56"/>';
  return `<svg viewBox="2 10 60 46" width="120" height="92" aria-hidden="true">${wall}${marks[tone]}</svg>`;
}

function htmlOf(tone: Tone, title: string, text: string, note: string, more: string): string {
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

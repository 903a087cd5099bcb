import { htmlText } from '../../../primitives/html-text.js';
import { ownRedirectUris } from '../../../protocol/oauth/client-metadata/redirect-uris.js';
import type { DocumentSettings } from '../../../protocol/oauth/client-metadata/write-document.js';

const style = `
:root { color-scheme: light dark; --back: #f4f2ee; --card: #fff; --line: #e2ded6; --text: #22252b; --soft: #5d636e; }
@media (prefers-color-scheme: dark) { :root { --back: #14161a; --card: #1d2026; --line: #31353e; --text: #eceef2; --soft: #a3aab7; } }
body { margin: 0; padding: 2rem 1rem; background: var(--back); color: var(--text);
  font: 1.0625rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
img { display: block; border-radius: 1rem; }
h1 { margin: 1rem 0 0; line-height: 1.25; overflow-wrap: anywhere; } h2 { margin: 2rem 0 0; font-size: 1.15rem; }
p { margin: 0.5rem 0; } ul { margin: 0.5rem 0; padding-left: 1.25rem; } .soft { color: var(--soft); }
code { font: 0.95em ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
a { color: inherit; }
`;

/**
 * The page for people who open the folder's address: what this client is, where answers to it go, whom to tell of
 * abuse. It loads nothing but the logo beside it.
 * @param file Name of the document beside the page.
 */
export async function indexPage(settings: DocumentSettings, file: string): Promise<string> {
  const name = htmlText(settings.name);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'; style-src 'sha256-${await hashOf(style)}'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}: who asks for access</title>
<link rel="icon" href="logo.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<main>
<img src="logo.svg" alt="" width="96" height="96">
<h1>${name}</h1>
<p>A program that people run on their own computers: it logs them in, once, from a terminal, to protected protocol (MCP)
servers. A login page that names it has read <a href="${htmlText(file)}">its client ID metadata document</a>, which says what it may do.</p>
<h2>How it is known</h2>
<p><code>${htmlText(settings.url)}</code></p>
<p class="soft">This address is its client identifier. Nobody can keep another program from naming it, too: what proves that it is
yours that asks is that you started a login yourself, just now.</p>
<h2>Where answers go</h2>
<p>Only to the computer that it runs on, never to a server:</p>
<ul>
${ownRedirectUris.map((uri) => `<li><code>${uri}</code></li>`).join('\n')}
</ul>
<p class="soft">The first two stand for any port (RFC 8252 section 7.3). ${keysLine(settings)}</p>
<h2>You did not start this login?</h2>
<p>Deny it, or close the page: nothing has happened yet. If it asks again and again, somebody may be trying to trick you.</p>
<h2>How to report abuse</h2>
<p>${contactLine(settings)}</p>
</main>
</body>
</html>
`;
}

function keysLine({ keys }: DocumentSettings): string {
  return keys.length === 0
    ? 'It has no secret and no key: it is a public client.'
    : 'It proves who it is with a key whose public half stands in the document.';
}

function contactLine({ contact, url }: DocumentSettings): string {
  if (contact === undefined) {
    return `Tell whoever runs <code>${htmlText(new URL(url).host)}</code>, where this page is hosted.`;
  }
  const target = contact.startsWith('https://') ? contact : `mailto:${contact}`;
  return `Tell <a href="${htmlText(target)}">${htmlText(contact)}</a>.`;
}

async function hashOf(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

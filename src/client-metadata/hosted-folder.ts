import { htmlText, shellWord } from '../core/text/printable.js';
import { ownRedirectUris, redirectOption } from '../oauth/client-metadata/redirect-uris.js';
import { type DocumentSettings, writeDocument } from '../oauth/client-metadata/write-document.js';

const placeholder = `
That address is a placeholder which nobody can own: until the folder is made for your own, no authorization server can
use the document, and \`postern client-metadata check\` says so.
`;

/** `README.md` of the folder: what it is, how to host it, how to see that it works. @param file Name of the document. */
function readme({ url, redirectUris, keys }: DocumentSettings, file: string): string {
  const option = redirectOption(redirectUris);
  const { pathname, hostname } = new URL(url);
  const headers = documentHeaders.map(([name, value]) => `    ${name}: ${value}`).join('\n');
  return `# A client ID metadata document

\`${file}\` is what an authorization server reads when \`postern\` names itself by a URL. It is made for this address, and
works at no other, since its \`client_id\` has to be the address that it is served at, character for character:

    ${url}
${hostname.endsWith('.invalid') ? placeholder : ''}
Made by \`postern client-metadata\`; for another address, make it again instead of editing it:

    postern client-metadata build FOLDER --url https://…/${file}

## Host it

Publish everything in this folder, as it is, over https, so that \`${file}\` is served at \`${pathname}\` with

${headers}

no cookie, no redirect, no compression for those who do not ask for it.

| where | what to do |
|---|---|
| Netlify, Cloudflare Pages | \`_headers\` has the rules; it has to lie at the root of the site |
| GitHub Pages | nothing: the media type and \`max-age=600\` come by themselves, other headers can't be set. \`.nojekyll\` keeps the files as they are |
| Apache | \`.htaccess\` has the rules, where \`AllowOverride FileInfo\` is on |
| nginx | \`location = ${pathname} { default_type application/json; add_header Cache-Control "public, max-age=3600"; add_header X-Content-Type-Options nosniff; }\` |
| Caddy | \`header ${pathname} { Cache-Control "public, max-age=3600"; X-Content-Type-Options nosniff }\` |

## See that it works

    postern client-metadata check ${shellWord(url)}
    postern login https://example.com/mcp --client-metadata-url ${shellWord(url)}${option === '' ? '' : ` ${option}`}

For good: \`POSTERN_CLIENT_METADATA_URL\`, or \`"clientMetadataUrl"\` in \`config.json\`.

## What stands in it, and what does not

- \`redirect_uris\`: loopback without a port stands for any port (RFC 8252 section 7.3), and changes with each login; ${
    redirectUris === undefined
      ? `the
  ones with a port are for authorization servers that compare ports (\`postern login --redirect-port\`), those with
  \`localhost\` for the ones that take that alone (\`--redirect-uri\`).`
      : `these
  were chosen (\`postern client-metadata build --redirect-uri\`), and \`postern login --redirect-uri\` names the one to use.`
  }
- No \`scope\`, on purpose: what is asked for is each protected server's to say.
- No secret, and there must never be one: the whole world can read it. ${
    keys.length === 0
      ? 'The client is public (`none`).'
      : 'Its keys are public ones; the private halves are in\n  the secret store of the machine that made them. `postern client-metadata rotate` replaces them, with an overlap.'
  }
`;
}

/** A file of the folder as it is hosted. */
export interface HostedFile {
  readonly name: string;
  readonly text: string;
}

/** Everything that is hosted for a client: the same bytes for the same settings. @param file Name of the document. */
export async function buildFolder(settings: DocumentSettings, file: string): Promise<readonly HostedFile[]> {
  return [
    { name: file, text: writeDocument(settings) },
    { name: 'index.html', text: await indexPage(settings, file) },
    { name: 'logo.svg', text: logo },
    { name: '_headers', text: headersFile(new URL(settings.url).pathname) },
    { name: '.htaccess', text: htaccess(file) },
    { name: '.nojekyll', text: '' },
    { name: 'README.md', text: readme(settings, file) },
  ];
}

/** The name that the document has in the folder: the last part of its address. */
export function fileNameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
}

/** Headers that the document is to be served with, whoever hosts it. */
const documentHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'public, max-age=3600'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** Headers of the page and the logo. */
const otherHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'public, max-age=3600'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
];

/** `_headers`, which Netlify, Cloudflare Pages and others read at the root of the site. @param path Of the document. */
function headersFile(path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const block = (at: string, headers: typeof documentHeaders) =>
    [at, ...headers.map(([name, value]) => `  ${name}: ${value}`)].join('\n');
  return `${[block(path, documentHeaders), block(`${folder}index.html`, otherHeaders), block(`${folder}logo.svg`, otherHeaders)].join('\n\n')}\n`;
}

/** `.htaccess`, which Apache reads in the folder itself. @param file Name of the document. */
function htaccess(file: string): string {
  const lines = documentHeaders.slice(1).map(([name, value]) => `    Header always set ${name} "${value}"`);
  return `<Files "${file}">
  ForceType application/json
  <IfModule mod_headers.c>
    Header always unset Set-Cookie
${lines.join('\n')}
  </IfModule>
</Files>
`;
}

/** The logo: a wall with battlements, and in it the small side gate that the program is named after, its door ajar. */
const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 128" width="128" height="128" role="img" aria-label="postern">
  <rect width="128" height="128" rx="24" fill="#22303f"/>
  <path fill="#8b97a5" d="M18 104V36h16v12h14V36h32v12h14V36h16v68z"/>
  <path fill="#6d7988" d="M18 64h24v3H18zm68 0h24v3H86zM18 84h22v3H18zm70 0h22v3H88zM28 48h3v16h-3zm69 0h3v16h-3zM34 67h3v17h-3zm57 0h3v17h-3z"/>
  <path fill="#ffd77a" d="M46 104V78a18 18 0 0 1 36 0v26z"/>
  <path fill="#6b4a2f" d="M46 104V78a18 18 0 0 1 10-16.1V110z"/>
  <circle cx="52.5" cy="86" r="2" fill="#f0d9a8"/>
  <path fill="none" stroke="#d8dee6" stroke-width="4" stroke-linecap="round" d="M12 104h34m36 0h34"/>
</svg>
`;

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
 * abuse. It loads nothing but the logo.
 * @param file Name of the document.
 */
async function indexPage(settings: DocumentSettings, file: string): Promise<string> {
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
servers. A login page shows its name after reading <a href="${htmlText(file)}">its client ID metadata document</a>, which says what it may do.</p>
<h2>How it is known</h2>
<p><code>${htmlText(settings.url).replace(/\/(?=[^/])/g, '/<wbr>')}</code></p>
<p class="soft">This address is its client identifier. Nobody can keep another program from naming it, too: what proves that it is
yours that asks is that you started a login yourself, just now.</p>
<h2>Where answers go</h2>
<p>Only to the computer that it runs on, never to a server:</p>
<ul>
${(settings.redirectUris ?? ownRedirectUris).map((uri) => `<li><code>${htmlText(uri)}</code></li>`).join('\n')}
</ul>
<p class="soft">An address without a port stands for any port (RFC 8252 section 7.3). ${keysLine(settings)}</p>
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

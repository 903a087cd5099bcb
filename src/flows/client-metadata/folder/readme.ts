import { shellWord } from '../../../primitives/quoting.js';
import type { DocumentSettings } from '../../../protocol/oauth/client-metadata/write-document.js';
import { documentHeaders } from './host-rules.js';

const placeholder = `
That address is a placeholder which nobody can own: until the folder is made for your own, no authorization server can
use the document, and \`postern client-metadata check\` says so.
`;

/** `README.md` of the folder: what it is, how to host it, how to see that it works. @param file Name of the document. */
export function readme({ url, keys }: DocumentSettings, file: string): string {
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
    postern login https://example.com/mcp --client-metadata-url ${shellWord(url)}

For good: \`POSTERN_CLIENT_METADATA_URL\`, or \`"clientMetadataUrl"\` in \`config.json\`.

## What stands in it, and what does not

- \`redirect_uris\`: loopback without a port stands for any port (RFC 8252 section 7.3), and changes with each login; the
  three with a port are for authorization servers that compare ports (\`postern login --redirect-port\`).
- No \`scope\`, on purpose: what is asked for is each protected server's to say.
- No secret, and there must never be one: the whole world can read it. ${
    keys.length === 0
      ? 'The client is public (`none`).'
      : 'Its keys are public ones; the private halves are in\n  the secret store of the machine that made them. `postern client-metadata rotate` replaces them, with an overlap.'
  }
`;
}

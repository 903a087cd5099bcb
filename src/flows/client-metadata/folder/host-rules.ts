/** Headers that the document is to be served with, whoever hosts it. */
export const documentHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'public, max-age=3600'],
  ['X-Content-Type-Options', 'nosniff'],
];

/** Headers of the page and the logo. */
export const otherHeaders: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'public, max-age=3600'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
];

/** `_headers`, which Netlify, Cloudflare Pages and others read at the root of the site. @param path Of the document. */
export function headersFile(path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const block = (at: string, headers: typeof documentHeaders) =>
    [at, ...headers.map(([name, value]) => `  ${name}: ${value}`)].join('\n');
  return `${[block(path, documentHeaders), block(`${folder}index.html`, otherHeaders), block(`${folder}logo.svg`, otherHeaders)].join('\n\n')}\n`;
}

/** `.htaccess`, which Apache reads in the folder itself. @param file Name of the document. */
export function htaccess(file: string): string {
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

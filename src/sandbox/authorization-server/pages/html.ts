import { createHash } from 'node:crypto';
import { printable } from '../../../core/text/printable.js';
import type { SentResponse } from '../../wire/response.js';
import { style } from './style.js';

/** Text that is HTML already; everything else is escaped by `html`. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** HTML from a template: every value is escaped unless it is `Markup` made by another template. */
export function html(strings: TemplateStringsArray, ...values: (string | Markup | readonly Markup[])[]): Markup {
  const filled = values.map((value) => {
    if (typeof value === 'string') return escaped(value);
    return value instanceof Markup ? value.text : value.map((one) => one.text).join('');
  });
  return new Markup(strings.map((part, at) => part + (filled[at] ?? '')).join(''));
}

/** Untrusted words for a page: control, bidi and invisible characters spelled out, cut to a length. */
export function words(untrusted: string, max = 120): string {
  return printable(untrusted, max);
}

export interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Markup;
  /** Origins that the response to a form may lead on to, beside our own. */
  readonly formTargets?: readonly string[];
}

/** A whole page: no script, no frame, nothing loaded, nothing cached, no referrer for others. */
export function pageResponse(page: Page): SentResponse {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title} · postern sandbox</title>
<style>${new Markup(style)}</style>
</head>
<body>
<p class="banner"><strong>Sandbox.</strong> Made-up accounts, no passwords, nothing kept. Not for production.</p>
<main>
${page.body}
</main>
</body>
</html>
`;
  return {
    status: page.status,
    headers: [['content-type', 'text/html; charset=utf-8'], ...pageHeaders(page.formTargets ?? [])],
    body: Buffer.from(document.text),
  };
}

/** The headers that keep a page to itself (RFC 9700 section 4.16). */
export function pageHeaders(formTargets: readonly string[]): [string, string][] {
  const styleHash = createHash('sha256').update(style).digest('base64');
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${styleHash}'`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ];
  return [
    ['content-security-policy', policy.join('; ')],
    ['x-frame-options', 'DENY'],
    ['x-content-type-options', 'nosniff'],
    // Same-origin and not none: with none, browsers send `Origin: null` with our own forms.
    ['referrer-policy', 'same-origin'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cache-control', 'no-store'],
  ];
}

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

import { createHash } from 'node:crypto';
import { printable } from '../../../core/text/printable.js';
import type { SentResponse } from '../../wire/response.js';

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

/** The one style sheet of every page; its hash is in the content security policy. */
const style = `
:root { color-scheme: light dark;
  --ground: #f3f1ec; --card: #fffefb; --ink: #1f1d1a; --soft: #67625a; --line: #ddd8cd;
  --accent: #1f5f4c; --accent-ink: #ffffff; --tint: #e6efe9; --warn: #fbf0d9; --warn-line: #dfb969; --warn-ink: #5a4108; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #15171a; --card: #1e2125; --ink: #eceae5; --soft: #a3a09a; --line: #363a40;
  --accent: #7fcbb0; --accent-ink: #0e2b22; --tint: #24332e; --warn: #332a17; --warn-line: #7b6229; --warn-ink: #f0dba9; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.banner { margin: 0; padding: .55rem 1rem; text-align: center; font-size: .85rem;
  background: var(--warn); color: var(--warn-ink); border-bottom: 1px solid var(--warn-line); }
main { width: min(30rem, calc(100% - 2rem)); margin: clamp(1.5rem, 8vh, 5rem) auto 3rem; padding: 2rem;
  background: var(--card); border: 1px solid var(--line); border-radius: 16px; box-shadow: 0 1px 2px #0001, 0 12px 32px #0001; }
h1 { margin: 0 0 .4rem; font-size: 1.45rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; overflow-wrap: anywhere; }
h2 { margin: 1.6rem 0 .5rem; font-size: .95rem; }
p { margin: .5rem 0 0; } .soft { color: var(--soft); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1rem; margin: 1.3rem 0 1rem; padding: .9rem 1rem;
  background: var(--tint); border-radius: 10px; font-size: .92rem; }
dt { color: var(--soft); } dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
dd code { display: block; font-weight: 400; } dd small { color: var(--soft); font-weight: 400; }
@media (max-width: 27rem) { main { margin-top: 1rem; padding: 1.4rem 1.2rem; } dl { grid-template-columns: 1fr; gap: 0; } dd + dt { margin-top: .5rem; } }
.warning { margin-top: 0; padding: .8rem 1rem; background: var(--warn); color: var(--warn-ink);
  border: 1px solid var(--warn-line); border-radius: 10px; font-size: .92rem; }
.scopes { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 10px; }
.scopes li + li { border-top: 1px solid var(--line); }
.scopes label { display: grid; grid-template-columns: auto 1fr; gap: 0 .75rem; align-items: center; padding: .65rem .9rem; cursor: pointer; }
.scopes input { width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--accent); grid-row: span 2; }
code { font: .82rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; color: var(--soft); overflow-wrap: anywhere; }
.user-code { margin: 1rem 0; padding: .7rem 1rem; width: 100%; text-align: center; text-transform: uppercase;
  font: 600 1.7rem/1.3 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .06em;
  color: var(--ink); background: var(--tint); border: 1px solid var(--line); border-radius: 10px; }
h1 + .warning { margin-top: .9rem; }
button, .button { font: inherit; font-weight: 600; cursor: pointer; border-radius: 10px; border: 1px solid var(--line);
  padding: .7rem 1.2rem; background: transparent; color: inherit; text-decoration: none; display: inline-block; text-align: center; }
button:hover, .button:hover { border-color: var(--soft); }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
button.main:hover, .button.main:hover { filter: brightness(1.08); }
button.link { border: 0; padding: 0; font-weight: 400; font-size: .9rem; color: var(--soft); text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.choices { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin-top: .85rem;
  padding: .75rem 0; position: sticky; bottom: 0; background: var(--card); }
.choices > :only-child { grid-column: 1 / -1; }
.account { width: 100%; display: flex; align-items: center; gap: .9rem; margin-top: .75rem; text-align: left; }
.account span { display: grid; } .account small { color: var(--soft); font-weight: 400; }
.face { width: 2.4rem; height: 2.4rem; flex: none; display: grid; place-items: center; border-radius: 50%;
  background: var(--tint); color: var(--accent); font-weight: 700; }
form.aside { margin-top: 1.2rem; text-align: center; }
`;

import type { Answer } from '../../wire/answer.js';
import type { SandboxAccount } from '../accounts.js';
import { isLoopback } from '../redirect-uri.js';
import { scopeInWords } from '../scopes.js';
import { html, type Markup, pageAnswer, words } from './html.js';

export interface ConsentQuestion {
  readonly action: string;
  readonly csrf: string;
  readonly clientId: string;
  readonly clientName: string;
  /** Set up with the sandbox, and not registered by itself. */
  readonly preregistered: boolean;
  /** Every redirect URI the client has, and the one this request names. */
  readonly redirectUris: readonly string[];
  readonly redirectUri: string | undefined;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly account: SandboxAccount;
}

/**
 * May this client do that? Shows the client's name, the host of its identifier when that is a URL, and
 * the host that the answer goes to, and warns where that can only be this computer.
 */
export function consentPage(ask: ConsentQuestion): Answer {
  const name = words(ask.clientName);
  const target = ask.redirectUri === undefined ? undefined : new URL(ask.redirectUri);
  return pageAnswer({
    status: 200,
    title: 'Allow access?',
    // The answer of this form is redirected to the client: browsers ask the policy for that, too.
    formTargets: target === undefined ? [] : [target.origin],
    body: html`<h1>${name} asks to act for you</h1>
<p class="soft">It would be able to use this server as ${ask.account.name}.</p>
<dl>
<dt>Program</dt><dd>${name}</dd>
<dt>Identified by</dt><dd>${identity(ask)}</dd>
<dt>Answer goes to</dt><dd>${target === undefined ? 'the device that shows the code' : words(target.host)}</dd>
<dt>Server</dt><dd>${words(ask.resource)}</dd>
</dl>
${target === undefined ? deviceWarning(name) : ask.redirectUris.every(isLoopback) ? loopbackWarning(name) : html``}
<form method="post" action="${ask.action}">
<input type="hidden" name="csrf" value="${ask.csrf}">
<h2>What it may do</h2>
<ul class="scopes">${ask.scopes.map(scopeLine)}</ul>
<div class="choices">
<button name="decision" value="deny">Deny</button>
<button class="main" name="decision" value="allow">Allow</button>
</div>
</form>
<form class="aside" method="post" action="${ask.action}">
<input type="hidden" name="csrf" value="${ask.csrf}">
<button class="link" name="decision" value="switch">Not ${ask.account.name}? Use another account</button>
</form>`,
  });
}

/** The host that vouches for the name, when the identifier is an address (CIMD section 6). */
function identity(ask: ConsentQuestion): string {
  if (ask.clientId.startsWith('https://')) return words(new URL(ask.clientId).host);
  return ask.preregistered ? 'this server, which knows it' : 'nobody: it chose its name itself';
}

function loopbackWarning(name: string): Markup {
  return html`<p class="warning"><strong>This program runs on your own computer.</strong> Any other program on it could
pretend to be ${name}. Allow this only if you started this login yourself, just now.</p>`;
}

function deviceWarning(name: string): Markup {
  return html`<p class="warning"><strong>Somebody gave you a code?</strong> Then it is their login, not yours. Allow this only if you
started ${name} yourself and it showed you that code, just now.</p>`;
}

function scopeLine(scope: string): Markup {
  return html`<li><label><input type="checkbox" name="scope" value="${scope}" checked>
<span>${scopeInWords(scope) ?? words(scope)}</span><code>${words(scope)}</code></label></li>
`;
}

import type { SentResponse } from '../../wire/response.js';
import type { SandboxAccount } from '../accounts.js';
import { isLoopback } from '../client-rules.js';
import { scopeInWords } from '../scopes.js';
import { html, type Markup, pageResponse, words } from './html.js';

export interface ConsentQuestion {
  readonly action: string;
  readonly csrf: string;
  readonly clientId: string;
  readonly clientName: string;
  /** Set up with the sandbox, and not registered by itself. */
  readonly preregistered: boolean;
  /** The one that this request names; undefined at a login with a device code. */
  readonly redirectUri: string | undefined;
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Origins that the person is sent to on the way, should they allow it. */
  readonly leadsTo: readonly string[];
  readonly account: SandboxAccount;
}

/** Characters of a client's name: enough for a name, too few for a sentence that the page would seem to say. */
const longestName = 60;

/**
 * May this client do that? Shows the client's name, its identifier and that one's host when it is a URL, and
 * the host that the response goes to, and warns where that is this computer, or not the host that vouches.
 *
 * No logo is shown, though clients name one: fetched by the page it would tell its host who logs in when,
 * fetched by this server it would be one more address that a stranger chose, and either way it would lend a
 * made-up client the looks of a known one. The name and the hosts are what can be checked.
 */
export function consentPage(ask: ConsentQuestion): SentResponse {
  const name = words(ask.clientName, longestName);
  const target = ask.redirectUri === undefined ? undefined : new URL(ask.redirectUri);
  return pageResponse({
    status: 200,
    title: 'Allow access?',
    // The response to this form is redirected to the client: browsers ask the policy for that, too.
    formTargets: [...ask.leadsTo, ...(target === undefined ? [] : [target.origin])],
    body: html`<h1>${name} asks to act for you</h1>
<p class="soft">It would be able to use this server as ${ask.account.name}.</p>
<form method="post" action="${ask.action}">
<input type="hidden" name="csrf" value="${ask.csrf}">
<dl>
<dt>Program</dt><dd>${name}</dd>
<dt>Identified by</dt><dd>${identity(ask)}</dd>
<dt>Answer goes to</dt><dd>${destination(ask.redirectUri)}</dd>
<dt>Server</dt><dd>${words(ask.resource)}</dd>
</dl>
${warning(ask, name)}
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

/** The host that vouches for the name, when the identifier is an address (CIMD section 6.4). */
function identity(ask: ConsentQuestion): Markup {
  const host = vouchingHost(ask);
  if (host !== undefined) return html`${words(host)} <code>${address(ask.clientId)}</code>`;
  return ask.preregistered ? html`this server, which knows it` : html`nobody; it gave this name itself`;
}

/** It is broken behind its slashes before it is broken elsewhere. */
function address(url: string): readonly Markup[] {
  return words(url, 300)
    .split(/(?<=[^/:]\/)(?=[^/])/)
    .map((piece) => html`${piece}<wbr>`);
}

function vouchingHost({ clientId }: ConsentQuestion): string | undefined {
  return clientId.startsWith('https://') ? new URL(clientId).host : undefined;
}

function destination(redirectUri: string | undefined): Markup {
  if (redirectUri === undefined) return html`the device that shows the code`;
  const { host } = new URL(redirectUri);
  return isLoopback(redirectUri) ? html`${words(host)} <small>on this computer</small>` : html`${words(host)}`;
}

function warning(ask: ConsentQuestion, name: string): Markup {
  const host = vouchingHost(ask);
  if (ask.redirectUri === undefined) return deviceWarning(name);
  if (isLoopback(ask.redirectUri)) return loopbackWarning(name, host);
  const target = new URL(ask.redirectUri).host;
  return host === undefined || target === host ? html`` : elsewhereWarning(host, target);
}

/** A document says who the client is, but not that it is the one which listens here (the draft's section 6). */
function loopbackWarning(name: string, host: string | undefined): Markup {
  const vouched = host === undefined ? html`` : html` ${words(host)} cannot tell them apart.`;
  return html`<p class="warning"><strong>This program runs on your own computer.</strong> Any other program on it could
pretend to be ${name}.${vouched} Allow this only if you started this login yourself, just now.</p>`;
}

function elsewhereWarning(host: string, target: string): Markup {
  return html`<p class="warning"><strong>The answer goes to another host.</strong> ${words(host)} says who this program is;
the answer would be sent to ${words(target)}. Allow this only if you know that both belong together.</p>`;
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

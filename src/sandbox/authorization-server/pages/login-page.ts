import type { SentResponse } from '../../wire/response.js';
import { accounts } from '../accounts.js';
import { html, pageResponse, words } from './html.js';

/** Who are you? One button for each account; no password is asked for. */
export function loginPage(options: {
  readonly action: string;
  readonly csrf: string;
  readonly client: string;
  /** Where the response to its form may be redirected: browsers ask the policy for that, too. */
  readonly leadsTo: string | undefined;
}): SentResponse {
  const buttons = accounts.map(
    (account) => html`<button class="account" name="account" value="${account.id}">
<span class="face" aria-hidden="true">${account.name.slice(0, 1)}</span>
<span>${account.name} <small>${account.id}</small></span></button>
`,
  );
  return pageResponse({
    status: 200,
    title: 'Log in',
    formTargets: options.leadsTo === undefined ? [] : [new URL(options.leadsTo).origin],
    body: html`<h1>Who are you today?</h1>
<p class="soft">${words(options.client)} asks you to log in.</p>
<form method="post" action="${options.action}">
<input type="hidden" name="csrf" value="${options.csrf}">
${buttons}</form>`,
  });
}

/**
 * Stands before every redirect that leaves this computer: whoever registered the address chose it, so
 * the person decides (OAuth 2.1 section 7.12.2).
 */
export function leavingPage(location: string): SentResponse {
  return pageResponse({
    status: 200,
    title: 'Leave the sandbox?',
    body: html`<h1>Go on to ${words(new URL(location).host)}?</h1>
<p>The answer of this login would be sent to that address, which is not on this computer.</p>
<p class="soft">If you do not know it, close this page.</p>
<div class="choices"><a class="button main" rel="noreferrer" href="${location}">Go on</a></div>`,
  });
}

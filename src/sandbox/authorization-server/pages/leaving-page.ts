import type { SentResponse } from '../../wire/response.js';
import { html, pageResponse, words } from './html.js';

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

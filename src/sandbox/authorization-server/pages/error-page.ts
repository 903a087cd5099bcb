import type { SentResponse } from '../../wire/response.js';
import { html, pageResponse, words } from './html.js';

/** The end of a request that may not be answered with a redirect: said here and nowhere else. */
export function errorPage(status: number, error: string, description: string): SentResponse {
  return pageResponse({
    status,
    title: 'This login cannot go on',
    body: html`<h1>This login cannot go on</h1>
<p>The authorization server refused the request and sent nothing back to the program that made it.</p>
<dl>
<dt>Error</dt><dd>${words(error)}</dd>
<dt>Why</dt><dd>${words(description, 300)}</dd>
</dl>
<p class="soft">Close this page, and start the login again from your terminal.</p>`,
  });
}

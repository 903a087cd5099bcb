import type { SentResponse } from '../../wire/response.js';
import { html, pageResponse, words } from './html.js';

/** The end of a request that may not be answered with a redirect: said here and nowhere else. */
export function errorPage(status: number, error: string, description: string): SentResponse {
  if (error === 'session_not_found') return stepPage(status);
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

/** Of who went a page back: the login itself goes on. */
function stepPage(status: number): SentResponse {
  return pageResponse({
    status,
    title: 'This step is over',
    body: html`<h1>This step is over</h1>
<p>It was done already, or you waited too long with it. The login itself may still go on.</p>
<p>Go one page forward in your browser, or press Enter in your terminal: it opens the login anew.</p>
<p class="soft">Where nothing waits in your terminal any more, start the login again there.</p>`,
  });
}

import type { Answer } from '../../wire/answer.js';
import { html, pageAnswer, words } from './html.js';

/** The end of a request that may not be answered with a redirect: said here and nowhere else. */
export function errorPage(status: number, error: string, description: string): Answer {
  return pageAnswer({
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

import { html, pageResponse } from '../authorization-server/pages/html.js';
import type { SentResponse } from '../wire/response.js';

/** What the upstream asks, once in each browser. It cannot say on whose behalf its client asks. */
export function upstreamPage(options: {
  /** The parameters of the request, which come back with the decision. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly client: string;
}): SentResponse {
  const hidden = options.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return pageResponse({
    status: 200,
    title: 'Upstream',
    // Where the response leads on to, from redirect to redirect, is on this computer or asked for again.
    formTargets: ['http://127.0.0.1:*', 'http://localhost:*'],
    body: html`<h1>Upstream: may ${options.client} read your profile?</h1>
<p>You are logged in at the upstream, another service of this sandbox, as Robin Upstream.</p>
<p class="soft">It will not ask again in this browser.</p>
<form method="post" action="/authorize">
${hidden}<div class="choices">
<button name="decision" value="deny">Deny</button>
<button class="main" name="decision" value="allow">Allow</button>
</div>
</form>`,
  });
}

import type { SentResponse } from '../../wire/response.js';
import { html, type Markup, pageResponse, words } from './html.js';

export interface DeviceForm {
  readonly action: string;
  /** Its hidden fields, by name. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Which code does your device show? */
export function deviceInputPage(form: DeviceForm, wrong: boolean): SentResponse {
  const body = html`<h1>Which code does your program show?</h1>
${wrong ? html`<p class="warning">No login waits with that code. Look at your terminal again: a code is good for a few minutes only.</p>` : html`<p class="soft">You find it in the terminal where you started the login.</p>`}
<form method="post" action="${form.action}">
${hidden(form)}<input class="user-code" type="text" name="user_code" aria-label="Code" autocomplete="off" autofocus>
<div class="choices"><button class="main" name="decision" value="code">Continue</button></div>
</form>`;
  return pageResponse({ status: wrong ? 400 : 200, title: 'Type the code', body });
}

/** Is that the code that you see? */
export function deviceConfirmPage(form: DeviceForm, client: string, userCode: string): SentResponse {
  const body = html`<h1>Does ${words(client)} show this code?</h1>
<p class="user-code">${words(userCode)}</p>
<p class="soft">If somebody sent it to you, close this page.</p>
<form method="post" action="${form.action}">
${hidden(form)}<div class="choices">
<button name="abort" value="yes">No</button>
<button class="main" name="decision" value="confirm">Yes</button></div>
</form>`;
  return pageResponse({ status: 200, title: 'The right code?', body });
}

/** The end, either way. */
export function deviceDonePage(allowed: boolean): SentResponse {
  const body = allowed
    ? html`<h1>Done</h1><p>The login goes on in your terminal. You can close this page.</p>`
    : html`<h1>Stopped</h1><p>Nothing was allowed. You can close this page.</p>`;
  return pageResponse({ status: 200, title: allowed ? 'Done' : 'Stopped', body });
}

function hidden({ fields }: DeviceForm): readonly Markup[] {
  return fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

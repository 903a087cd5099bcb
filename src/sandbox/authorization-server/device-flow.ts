import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { Allowance } from '../allowance.js';
import type { SentResponse } from '../wire/response.js';
import { html, type Markup, pageResponse, words } from './pages/html.js';

/** The grant type of RFC 8628 section 3.4. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

type DeviceFlow = NonNullable<NonNullable<Configuration['features']>['deviceFlow']>;

/** Wrong user codes in ten minutes, whoever types them: the codes are short, and live as long (RFC 8628 section 5.1). */
const maxWrong = 20;

/** How many more wrong user codes will be looked at; `device` is its one key. */
export function userCodeGuesses(): Allowance {
  return new Allowance(maxWrong, 600_000, Date.now);
}

/** Logins by a code (RFC 8628), with pages of our own. */
export function deviceFlow(guesses: Allowance): DeviceFlow {
  return {
    enabled: true,
    userCodeInputSource: async (context, form, _out, error) => {
      const wrong = error !== undefined && error.name !== 'AbortedError';
      if (wrong) guesses.take('device');
      response(context, error?.name === 'AbortedError' ? deviceDonePage(false) : deviceInputPage(formOf(form), wrong));
    },
    userCodeConfirmSource: async (context, form, client, _info, userCode) => {
      const name = client.clientName ?? client.clientId;
      response(context, deviceConfirmPage(formOf(form), name, userCode));
    },
    successSource: async (context) => response(context, deviceDonePage(true)),
  };
}

/** oidc-provider hands its form over as HTML; ours is made anew from what is in it. */
function formOf(html: string): DeviceForm {
  const action = /action="([^"]*)"/.exec(html)?.[1] ?? '';
  const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return { action, fields: hidden.map(([, name = '', value = '']) => [name, value]) };
}

function response(context: KoaContextWithOIDC, page: SentResponse): void {
  for (const [name, value] of page.headers) context.set(name, value);
  context.body = Buffer.from(page.body as Uint8Array);
}

export interface DeviceForm {
  readonly action: string;
  /** Its hidden fields, by name. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Which code does your device show? */
function deviceInputPage(form: DeviceForm, wrong: boolean): SentResponse {
  const body = html`<h1>Which code does your program show?</h1>
${wrong ? html`<p class="warning">No login waits with that code. Look at your terminal again: a code is good for a few minutes only.</p>` : html`<p class="soft">You find it in the terminal where you started the login.</p>`}
<form method="post" action="${form.action}">
${hidden(form)}<input class="user-code" type="text" name="user_code" aria-label="Code" autocomplete="off" autofocus>
<div class="choices"><button class="main" name="decision" value="code">Continue</button></div>
</form>`;
  return pageResponse({ status: wrong ? 400 : 200, title: 'Type the code', body });
}

/** Is that the code that you see? */
function deviceConfirmPage(form: DeviceForm, client: string, userCode: string): SentResponse {
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
function deviceDonePage(allowed: boolean): SentResponse {
  const body = allowed
    ? html`<h1>Done</h1><p>The login goes on in your terminal. You can close this page.</p>`
    : html`<h1>Stopped</h1><p>Nothing was allowed. You can close this page.</p>`;
  return pageResponse({ status: 200, title: allowed ? 'Done' : 'Stopped', body });
}

function hidden({ fields }: DeviceForm): readonly Markup[] {
  return fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

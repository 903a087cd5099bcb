import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { Allowance } from '../allowance.js';
import type { SentResponse } from '../wire/response.js';
import { type DeviceForm, deviceConfirmPage, deviceDonePage, deviceInputPage } from './pages/device-pages.js';

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

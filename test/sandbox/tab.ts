import assert from 'node:assert/strict';
import { CookieJar } from '../../src/sandbox/walk.js';
import { formsOf } from '../support/product.js';

/** A browser's tab in which each page can be looked at before the next step. */
export class Tab {
  readonly #cookies = new CookieJar();
  readonly #roams: boolean;
  url = new URL('about:blank');
  html = '';
  headers = new Headers();
  status = 0;

  /** @param options `roams`: redirects are followed to other ports, too, as a browser does */
  constructor(options: { readonly roams?: boolean } = {}) {
    this.#roams = options.roams ?? false;
  }

  async open(address: string | URL, form?: readonly (readonly [string, string])[]): Promise<void> {
    const url = new URL(address, this.url.protocol === 'about:' ? undefined : this.url);
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: this.#cookies.header },
      ...(form === undefined
        ? {}
        : { method: 'POST', body: new URLSearchParams(form.map(([name, value]) => [name, value])) }),
    });
    this.#cookies.take(response.headers.getSetCookie());
    this.url = url;
    this.status = response.status;
    this.headers = response.headers;
    this.html = await response.text();
    const location = response.headers.get('location');
    if (location !== null && (this.#roams || new URL(location, url).port === url.port)) await this.open(location);
  }

  /** Presses a button of the page; `changes` are fields that a hostile page would send instead. */
  press(name: string, value: string, changes: Record<string, string> = {}): Promise<void> {
    const form = formsOf(this.html).find((one) => one.buttons.some((b) => b[0] === name && b[1] === value));
    assert.ok(form, `no button ${name}=${value}`);
    const fields = [...form.fields, [name, value] as const].filter(([field]) => !(field in changes));
    return this.open(form.action, [...fields, ...Object.entries(changes)]);
  }
}

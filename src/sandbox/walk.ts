import { Agent, request } from 'node:http';

export interface Walk {
  /** Whom to log in as. Default `alice`. */
  readonly account?: string;
  readonly decision?: 'allow' | 'deny';
  /** The scopes to leave ticked on the consent page; absent: all. */
  readonly scopes?: readonly string[];
  /** The code to type, at a login by a device code. */
  readonly userCode?: string;
  /** The path before which it stops: somebody else is to go there. */
  readonly stopBefore?: string;
  /** The origins that it stays within; absent: any that is plain http. */
  readonly within?: readonly string[];
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Where the walk ended. */
export interface Arrival {
  readonly finalUrl: string;
  readonly status: number;
  readonly html: string;
}

/** What a browser would remember: cookies by name, which is enough for one login on one machine (they know no ports). */
export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Takes the `Set-Cookie` lines of a response; without a value, a cookie is forgotten. */
  take(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }

  /** The `Cookie` header; empty when there is none to send. */
  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

interface Step {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly form?: URLSearchParams;
}

/** What it keeps from one step to the next, as a browser does. */
interface Browser {
  readonly cookies: CookieJar;
  readonly agent: Agent;
}

const maxSteps = 20;

/**
 * Walks a login as a browser would, without one: cookies, redirects, the login and consent pages and
 * their forms, then the client's own callback and the page that follows. Stops at the first page that
 * asks nothing, and before any address that is not plain http (nothing here leaves this computer).
 * @param authorizationUrl an authorization request, or any address that redirects to one
 * @throws Error after 20 steps, and the system's error when a server does not answer
 */
export async function walkLogin(authorizationUrl: string, walk: Walk = {}): Promise<Arrival> {
  const agent = new Agent({ keepAlive: true });
  try {
    return await walkOn({ method: 'GET', url: new URL(authorizationUrl) }, { cookies: new CookieJar(), agent }, walk);
  } finally {
    agent.destroy();
  }
}

async function walkOn(first: Step, browser: Browser, walk: Walk): Promise<Arrival> {
  let step = first;
  for (let count = 0; count < maxSteps; count += 1) {
    const response = await take(step, browser, walk);
    const location = response.location === undefined ? undefined : new URL(response.location, step.url);
    const next =
      location === undefined ? submission(response.html, step.url, walk) : { method: 'GET' as const, url: location };
    if (next === undefined || leaves(next.url, walk)) {
      return { finalUrl: (next ?? step).url.href, status: response.status, html: response.html };
    }
    step = next;
  }
  throw new Error(`the login did not end within ${maxSteps} pages`);
}

function leaves(url: URL, { stopBefore, within }: Walk): boolean {
  return url.protocol !== 'http:' || url.pathname === stopBefore || within?.includes(url.origin) === false;
}

/** The form of a page, filled in and with the wanted button pressed; undefined when nothing is asked. */
function submission(html: string, page: URL, walk: Walk): Step | undefined {
  const wanted = new Map([
    ['account', walk.account ?? 'alice'],
    ['decision', walk.decision ?? 'allow'],
  ]);
  for (const form of formsOf(html)) {
    const typed = form.fields.some(([name]) => name === 'user_code');
    const device = form.buttons.find(([name, value]) => name === 'decision' && /^(code|confirm)$/.test(value));
    if (typed && device !== undefined) {
      const fields = form.fields.map(
        ([name, value]) => [name, name === 'user_code' && value === '' ? (walk.userCode ?? '') : value] as const,
      );
      return submit({ ...form, fields }, device, page, undefined);
    }
    const button = form.buttons.find(([name, value]) => wanted.get(name) === value);
    if (button !== undefined) return submit(form, button, page, walk.scopes);
  }
  // The page on which a client of ours asks before the login page.
  const [, next] = /<a class="button" href="(\/[\w/-]+)"/.exec(html) ?? [];
  return next === undefined ? undefined : { method: 'GET', url: new URL(next, page) };
}

function submit(form: HtmlForm, button: readonly [string, string], page: URL, scopes: Walk['scopes']): Step {
  const ticked = form.fields.filter(([name, value]) => name !== 'scope' || (scopes?.includes(value) ?? true));
  const filled = new URLSearchParams([...ticked, button].map(([name, value]) => [name, value]));
  return { method: form.method, url: new URL(form.action, page), form: filled };
}

function take(
  step: Step,
  { cookies, agent }: Browser,
  { signal, headers: more }: Walk,
): Promise<{ readonly status: number; readonly location: string | undefined; readonly html: string }> {
  const cookie = cookies.header;
  const headers = {
    accept: 'text/html',
    // What tells a browser's navigation from a script or an image (Fetch Metadata).
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
    ...more,
    ...(cookie === '' ? {} : { cookie }),
    ...(step.form === undefined
      ? {}
      : { 'content-type': 'application/x-www-form-urlencoded', origin: step.url.origin }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(step.url, { method: step.method, headers, agent, ...(signal && { signal }) }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.once('error', reject);
      reply.once('end', () => {
        cookies.take(reply.headers['set-cookie'] ?? []);
        const html = Buffer.concat(chunks).toString('utf8');
        resolve({ status: reply.statusCode ?? 0, location: reply.headers.location, html });
      });
    });
    sent.once('error', reject);
    sent.end(step.form?.toString());
  });
}

/** A form of an HTML page, as a browser would send it. */
interface HtmlForm {
  readonly action: string;
  readonly method: 'GET' | 'POST';
  /** Hidden, text and ticked fields, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Submit buttons with a name. */
  readonly buttons: readonly (readonly [name: string, value: string])[];
}

/** The forms of a page. Made for the sandbox's own pages: attributes in double quotes, no nesting. */
export function formsOf(page: string): readonly HtmlForm[] {
  return [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, head = '', inside = '']) => {
    const form = attributesOf(head);
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) => attributesOf(text));
    const buttons = [...inside.matchAll(/<button\b([^>]*)>/g)].map(([, text = '']) => attributesOf(text));
    return {
      action: form.get('action') ?? '',
      method: form.get('method')?.toLowerCase() === 'post' ? 'POST' : 'GET',
      fields: inputs.filter((input) => input.get('type') !== 'checkbox' || input.has('checked')).map(pair),
      buttons: buttons.filter((button) => button.has('name')).map(pair),
    };
  });
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)];
  return new Map(found.map(([, name = '', value = '']) => [name, decoded(value)]));
}

function pair(attributes: ReadonlyMap<string, string>): readonly [string, string] {
  return [attributes.get('name') ?? '', attributes.get('value') ?? ''];
}

function decoded(value: string): string {
  return value.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

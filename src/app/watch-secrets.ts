import type { Terminal } from '../core/ports.js';
import { parseObject, unescapedJson } from '../core/text/json.js';
import { holdHeader } from '../core/text/secret-headers.js';
import type { HttpClient, HttpRequest } from '../http/request.js';
import type { CallbackListeners } from '../login/ports.js';
import { PassingWatcher, type Wire, type WireRequest, type WireWatcher } from '../mcp/wire.js';
import type { Recovery, SecretStore, SecretStores } from '../stores/ports.js';
import type { SecretKind } from './redactor.js';

/** Takes each secret that passes, so that it can be kept out of what is printed; without a kind it is `lasting`. */
export type Hold = (secret: string, kind?: SecretKind) => void;

const itemMember = /"(?:accessToken|refreshToken|clientSecret|providerSecret|dpopKey)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/** The private half of a key within an item's member. */
const itemKey = /\\"d\\":\\"([A-Za-z0-9_-]{43})\\"/g;

const itemHeader = /"headerValue"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

const responseMember =
  /"(?:access_token|refresh_token|id_token|client_secret|registration_access_token)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

const formFields = new Set([
  ...['code', 'code_verifier', 'refresh_token', 'token', 'client_secret'],
  ...['client_assertion', 'assertion', 'subject_token'],
]);

/** Sealed answers are seen as they are opened. */
export function watchRecovery(recovery: Recovery, hold: Hold): Recovery {
  return {
    ...recovery,
    find: async (key, spent) => {
      const item = await recovery.find(key, spent);
      const text = item?.reveal() ?? '';
      const response = Buffer.from(String(parseObject(text)?.['response']), 'base64').toString();
      holdItem(text, hold);
      holdAll(response, responseMember, unescapedJson, hold);
      return item;
    },
  };
}

/** A store whose items are seen as they are read and written. */
export function watchStore(store: SecretStore, hold: Hold): SecretStore {
  const see = (text: string) => holdItem(text, hold);
  return {
    kind: store.kind,
    ready: () => store.ready(),
    read: async (key) => {
      const item = await store.read(key);
      see(item?.reveal() ?? '');
      return item;
    },
    write: (key, value) => {
      see(value.reveal());
      return store.write(key, value);
    },
    remove: (key) => store.remove(key),
    begin: async (key, wait) => await store.begin?.(key, wait),
    publish: async (login) => await store.publish?.(login),
    records: async () => await store.records?.(),
  };
}

/** Stores whose items are seen. */
export function watchStores(stores: SecretStores, hold: Hold): SecretStores {
  return { of: (kind) => watchStore(stores.of(kind), hold) };
}

/** A HTTP client whose credentials are seen: those sent, those in the answers to forms, session identifiers. */
export function watchHttp(http: HttpClient, hold: Hold): HttpClient {
  return {
    check: (target) => http.check(target),
    send: async (request) => {
      holdRequest(request, hold);
      const response = await http.send(request);
      for (const [name, value] of response.headers) {
        if (name === 'mcp-session-id') hold(value, 'offered');
      }
      const bytes = async () => {
        const body = await response.bytes();
        holdAll(new TextDecoder().decode(body), responseMember, unescapedJson, hold);
        return body;
      };
      // The answer to a form, or to a registration, is the only kind that brings credentials.
      return typeof request.body === 'string' && request.namedBy !== 'person' ? { ...response, bytes } : response;
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  };
}

/** A wire whose tokens and session identifiers are seen. */
export function watchWire(wire: Wire & AsyncDisposable, hold: Hold): Wire & AsyncDisposable {
  let latest: WireRequest['headers'] | undefined;
  return {
    send: (request, watcher) => {
      // A bridge repeats its headers, as the very same object.
      if (request.headers !== latest) holdHeaders(request.headers, hold);
      latest = request.headers;
      return wire.send(request, new SessionWatch(watcher, hold));
    },
    cut: (reason) => wire.cut(reason),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

/** Sees the session that an answer begins. */
class SessionWatch extends PassingWatcher {
  readonly #hold: Hold;

  constructor(watcher: WireWatcher, hold: Hold) {
    super(watcher);
    this.#hold = hold;
  }

  override head(status: number, header: (name: string) => readonly string[]): void {
    for (const value of header('mcp-session-id')) this.#hold(value, 'offered');
    super.head(status, header);
  }
}

/** A terminal whose hidden answers are seen: a client secret, or the code in a pasted redirect URL. */
export function watchTerminal(terminal: Terminal, hold: Hold): Terminal {
  return {
    interactive: terminal.interactive,
    tell: (line) => terminal.tell(line),
    choose: (question, choices, signal) => terminal.choose(question, choices, signal),
    listen: (enter) => terminal.listen(enter),
    event: (event) => terminal.event(event),
    ask: async (question, options) => {
      const typed = await terminal.ask(question, options);
      if (options.hidden && typed !== undefined) {
        const code = /[?&]code=([^&#\s]*)/.exec(typed)?.[1];
        hold(decodeForm(code ?? typed.trim()));
      }
      return typed;
    },
  };
}

/** Listeners whose codes are seen. The state is not held: the address that is printed has to show it. */
export function watchListeners(listeners: CallbackListeners, hold: Hold): CallbackListeners {
  return {
    listen: async (options) => {
      const listener = await listeners.listen(options);
      const response = async (signal: AbortSignal) => {
        const parameters = await listener.response(signal);
        for (const [name, value] of parameters) {
          if (name === 'code') hold(value, 'token');
        }
        return parameters;
      };
      return {
        redirectUri: listener.redirectUri,
        get doubtful() {
          return listener.doubtful;
        },
        get ignored() {
          return listener.ignored;
        },
        arm: (request) => listener.arm(request),
        link: (shownAt) => listener.link(shownAt),
        address: () => listener.address(),
        isOurs: (state) => listener.isOurs(state),
        response,
        finish: (...given) => listener.finish(...given),
        [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
      };
    },
  };
}

function holdRequest(request: HttpRequest, hold: Hold): void {
  holdHeaders(request.headers ?? [], hold);
  if (typeof request.body !== 'string') return;
  for (const field of request.body.split('&')) {
    const end = field.indexOf('=');
    if (end > 0 && formFields.has(field.slice(0, end))) hold(decodeForm(field.slice(end + 1)), 'token');
  }
}

function holdHeaders(headers: NonNullable<HttpRequest['headers']>, hold: Hold): void {
  for (const [name, value] of headers) {
    if (/^authorization$/i.test(name)) {
      const credentials = value.replace(/^\S+\s+/, '');
      hold(credentials, 'token');
      if (/^basic\s/i.test(value)) hold(basicPassword(credentials), 'token');
    }
    if (/^mcp-session-id$/i.test(name)) hold(value, 'session');
    if (/^cookie$/i.test(name)) holdHeader(value, (word) => hold(word, 'session'));
  }
}

/** The secret of a client in Basic form (RFC 6749 section 2.3.1). */
function basicPassword(credentials: string): string {
  const pair = Buffer.from(credentials, 'base64').toString();
  return decodeForm(pair.slice(pair.indexOf(':') + 1));
}

function holdItem(text: string, hold: Hold): void {
  holdAll(text, itemMember, unescapedJson, hold);
  holdAll(text, itemKey, (found) => found, hold);
  for (const [, found = ''] of text.matchAll(itemHeader)) holdHeader(unescapedJson(found), hold);
}

function holdAll(text: string, pattern: RegExp, decode: (text: string) => string, hold: Hold): void {
  for (const [, found = ''] of text.matchAll(pattern)) hold(decode(found), 'token');
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

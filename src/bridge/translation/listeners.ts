import { metaName } from '../../core/product.js';
import { asObject, type JsonObject } from '../../core/text/json.js';
import { withMembers } from '../../core/text/json-splice.js';
import { acknowledged, textsIn } from '../../mcp/eras.js';
import type { Pending } from '../../mcp/pending.js';
import { notTranslated } from '../failures.js';
import { changingLists } from './change-stream.js';
import type { HostSide } from './host-side.js';
import { jsonText, type MessageText, messageText, objectIn, param, stringIn, withParams } from './message-text.js';
import type { ServerConversation } from './server-conversation.js';

const maxListeners = 64;

/** Resources that are followed, of all listeners. */
const maxFollowed = 1_000;

/** Requests to follow that are under way at the same time. */
const atOnce = 8;

/** Which member of a filter wants a notification. */
const filterFor: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};

interface Listener {
  readonly idBytes: Uint8Array;
  readonly lists: JsonObject;
  readonly uris: ReadonlySet<string>;
}

/** The host's `subscriptions/listen`, served with what a session of the older era tells. */
export class Listeners {
  readonly #host: HostSide;
  readonly #conversation: ServerConversation;
  readonly #listeners = new Set<Listener>();
  /** How many listeners follow a resource. */
  readonly #followed = new Map<string, number>();
  #count = 0;

  constructor(host: HostSide, conversation: ServerConversation) {
    this.#host = host;
    this.#conversation = conversation;
  }

  /** Listens until the host cancels it. @throws Failure `not_translated`, and as the client's `request` */
  async listen(text: Uint8Array, pending: Pending, capabilities: JsonObject): Promise<undefined> {
    if (this.#listeners.size >= maxListeners) throw notTranslated('the program listens to too many things at a time');
    const wanted = objectIn(param(text, 'notifications'));
    const changing = Object.keys(changingLists(capabilities)).filter((name) => wanted[name] === true);
    const lists = Object.fromEntries(changing.map((name) => [name, true]));
    const mayFollow = asObject(capabilities['resources'])?.['subscribe'] === true;
    const uris = mayFollow ? [...new Set(textsIn(wanted['resourceSubscriptions']))] : [];
    const followed = await this.#follow(uris);
    const listener = { idBytes: pending.idBytes, lists, uris: new Set(followed) };
    this.#listeners.add(listener);
    try {
      const notifications = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: [...followed] }) };
      const params = jsonText({ notifications });
      if (!pending.isCancelled) this.#send(messageText({ method: acknowledged }, { params }).text, listener);
      await new Promise<void>((resolve) => {
        pending.exchange = { abort: () => resolve(), isRefused: false };
        if (pending.isCancelled) resolve();
      });
    } finally {
      this.#listeners.delete(listener);
      await this.#unfollow(followed);
    }
  }

  /** Gives a change to whoever listens for it. */
  take({ text, message: { method } }: MessageText): void {
    const uri = method === 'notifications/resources/updated' ? (stringIn(param(text, 'uri')) ?? '') : undefined;
    for (const listener of this.#listeners) {
      const isWanted = uri === undefined ? listener.lists[filterFor[method] ?? ''] === true : listener.uris.has(uri);
      if (isWanted) this.#send(text, listener);
    }
  }

  /** Follows again what the session followed that the server has lost. */
  async followAgain(): Promise<void> {
    for (const uri of this.#followed.keys()) await this.#ask('resources/subscribe', uri).catch(() => false);
  }

  async #follow(uris: readonly string[]): Promise<readonly string[]> {
    const followed: string[] = [];
    for (let at = 0; at < uris.length; at += atOnce) {
      const some = uris.slice(at, at + atOnce);
      const isFollowed = await Promise.all(some.map((uri) => this.#followOne(uri)));
      followed.push(...some.filter((_, index) => isFollowed[index]));
    }
    return followed;
  }

  async #followOne(uri: string): Promise<boolean> {
    const times = this.#followed.get(uri) ?? 0;
    if (times === 0 && this.#followed.size >= maxFollowed) return false;
    this.#followed.set(uri, times + 1);
    const isFollowed = times > 0 || (await this.#ask('resources/subscribe', uri).catch(() => false));
    if (!isFollowed) this.#followed.delete(uri);
    return isFollowed;
  }

  async #unfollow(uris: readonly string[]): Promise<void> {
    for (const uri of uris) {
      const times = (this.#followed.get(uri) ?? 1) - 1;
      if (times > 0) this.#followed.set(uri, times);
      else if (this.#followed.delete(uri)) await this.#ask('resources/unsubscribe', uri).catch(() => false);
    }
  }

  async #ask(method: string, uri: string): Promise<boolean> {
    this.#count += 1;
    const request = messageText({ id: `postern-follow-${this.#count}`, method }, { params: jsonText({ uri }) });
    const reply = await this.#conversation.request(request);
    return reply.kind === 'response' && reply.message.kind === 'result';
  }

  #send(text: Uint8Array, { idBytes }: Listener): void {
    const meta = param(text, '_meta') ?? jsonText({});
    this.#host.send(withParams(text, { _meta: withMembers(meta, 0, { [metaName('subscriptionId')]: idBytes }) }));
  }
}

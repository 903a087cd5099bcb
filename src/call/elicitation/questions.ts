import type { OpenedPage, Terminal } from '../../core/ports.js';
import type { BrowserChoice } from '../../core/records.js';
import { asObject, type JsonObject, type JsonValue, stringField } from '../../core/text/json.js';
import { JsonNumber } from '../../core/text/json-number.js';
import { printable, quoted } from '../../core/text/printable.js';
import { saysYes } from '../../core/text/says-yes.js';
import { valueAs } from '../tools/arguments.js';
import { askForPage, askWhetherDone, type Consent, type PersonPorts, pageToOpen } from './ask-page.js';

/** A request of the server. */
export interface ServerRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** What to do when a server asks the person something during a call. */
export type ElicitationPolicy = 'ask' | 'defaults' | 'decline';

/** Time that passes for a server, but not while a person is asked. */
interface PausedTime {
  stop(): void;
  restart(): void;
}

export interface QuestionsOptions {
  /** What the server is called: its URL, or the command line of a program. */
  readonly server: string;
  readonly policy: ElicitationPolicy;
  /** Whether a browser may be opened. */
  readonly opensPages: boolean;
  /** The browser that the login's pages open in; undefined: the usual one. */
  readonly browser?: BrowserChoice | undefined;
  readonly deadline?: PausedTime | undefined;
}

/** Most pages of one error that a person is asked about. */
const maxPages = 10;

/** A page whose end the server will tell by its id. */
interface AwaitedPage {
  readonly completed: AbortController;
  opened: OpenedPage | undefined;
}

/** What a server asks in the middle of a conversation: forms, and pages that it wants opened. */
export class Questions implements AsyncDisposable {
  readonly #ports: PersonPorts;
  readonly #options: QuestionsOptions;
  readonly #awaited = new Map<string, AwaitedPage>();
  readonly #opened = new Set<OpenedPage>();

  constructor(ports: PersonPorts, options: QuestionsOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** What is offered to the server: a page only where a person can agree to it. */
  get capabilities(): JsonObject {
    if (this.#options.policy === 'decline') return {};
    return { elicitation: this.#hasPerson ? { form: {}, url: {} } : { form: {} } };
  }

  get #hasPerson(): boolean {
    return this.#options.policy === 'ask' && this.#ports.terminal.interactive;
  }

  /**
   * The result for a request of the server; undefined for one that was not offered.
   * @param isModern Whether nothing will tell that a page is done with: then the person says so.
   */
  async respond(
    { method, params }: ServerRequest,
    isModern: boolean,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    if (method === 'ping') return {};
    if (method !== 'elicitation/create') return undefined;
    const { deadline } = this.#options;
    deadline?.stop();
    let staysStopped = false;
    try {
      const isPage = (params['mode'] ?? 'form') !== 'form';
      const result = isPage ? await this.#page(params, isModern, signal) : await this.#form(params, signal);
      staysStopped = isPage && !isModern && result['action'] === 'accept'; // the server waits for the person
      return result;
    } finally {
      if (!staysStopped) deadline?.restart();
    }
  }

  /**
   * Shows the pages that an older server wants opened before it takes a request (error -32042), each until it is done with.
   * @returns Whether all are, so that the request can be repeated
   */
  async pagesFirst(data: JsonObject, signal: AbortSignal): Promise<boolean> {
    const listed = Array.isArray(data['elicitations']) ? data['elicitations'].map(asObject) : [];
    if (!this.#hasPerson || listed.length === 0 || listed.length > maxPages) return false;
    const { deadline } = this.#options;
    deadline?.stop();
    try {
      for (const wanted of listed) {
        if (wanted?.['mode'] !== 'url' || (await this.#page(wanted, true, signal))['action'] !== 'accept') return false;
      }
      return true;
    } finally {
      deadline?.restart();
    }
  }

  /** `notifications/elicitation/complete`; one for an id that is not waited for is ignored. */
  completed(params: JsonObject): void {
    const id = stringField(params, 'elicitationId') ?? '';
    const awaited = this.#awaited.get(id);
    if (awaited === undefined) return;
    this.#awaited.delete(id);
    awaited.completed.abort();
    void this.#close(awaited.opened);
    this.#options.deadline?.restart();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#opened].map((page) => this.#close(page)));
  }

  async #form(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { policy, server } = this.#options;
    const { terminal } = this.#ports;
    if (policy === 'decline' || !(policy === 'defaults' || this.#hasPerson)) return { action: 'decline' };
    const odd = oddField(params);
    if (odd !== undefined) {
      const why = 'has a choice or default that is neither text, a number, true nor false';
      terminal.tell(`Declined: the field ${quoted(odd, 80)} of a form ${why}.`);
      return { action: 'decline' };
    }
    return policy === 'defaults' ? defaultsOf(params) : askForm(terminal, { server, params }, signal);
  }

  /** No default ever accepts a page. @param waits Until it is done with. */
  async #page(params: JsonObject, waits: boolean, signal: AbortSignal): Promise<JsonObject> {
    if (params['mode'] !== 'url' || !this.#hasPerson) return { action: 'decline' };
    const { server: name, opensPages: opens, browser } = this.#options;
    const { terminal } = this.#ports;
    const server = { name, url: /^https?:\/\//.test(name) ? name : undefined };
    const page = pageToOpen(stringField(params, 'url') ?? '', server.url);
    if (typeof page === 'string') {
      terminal.tell(`The server asks you to open a page whose address is not offered to you: ${page}.`);
      return { action: 'decline' };
    }
    const awaited: AwaitedPage = { completed: new AbortController(), opened: undefined };
    const id = stringField(params, 'elicitationId');
    if (id !== undefined) this.#awaited.set(id, awaited);
    const message = stringField(params, 'message') ?? '';
    const consent = await askForPage(this.#ports, { server, page, message, opens, browser }, signal);
    if (consent.action !== 'accept') return this.#dropped(id, consent);
    const { opened } = consent;
    awaited.opened = opened;
    if (opened !== undefined) this.#opened.add(opened);
    if (!waits) {
      terminal.tell('The server goes on when you are done there; Ctrl-C cancels.');
      return { action: 'accept' };
    }
    try {
      const isDone = await askWhetherDone(this.#ports, { opened, completed: awaited.completed.signal }, signal);
      return this.#dropped(id, { action: isDone ? 'accept' : 'cancel' });
    } finally {
      await this.#close(opened);
    }
  }

  async #close(page: OpenedPage | undefined): Promise<void> {
    if (page === undefined || !this.#opened.delete(page)) return;
    await page[Symbol.asyncDispose]();
  }

  #dropped(id: string | undefined, { action }: Pick<Consent, 'action'>): JsonObject {
    if (id !== undefined) this.#awaited.delete(id);
    return { action };
  }
}

/** The first field whose choices or default no form can have; undefined: each can be asked for. */
function oddField(params: JsonObject): string | undefined {
  const isFit = (schema: JsonObject) => [schema['default'], schema['enum']].flat().every(isScalar);
  return fieldsOf(params).find(([, schema]) => !isFit(schema))?.[0];
}

const isScalar = (value: JsonValue | undefined): boolean =>
  typeof value !== 'object' || value === null || value instanceof JsonNumber;

/** What a form is filled with where nobody is asked: its defaults. */
function defaultsOf(params: JsonObject): JsonObject {
  const defaults = fieldsOf(params).map(([name, schema]) => [name, schema['default']] as const);
  return { action: 'accept', content: given(defaults) };
}

/** Asks for each field of a form, and has the whole looked over. @throws the signal's reason */
async function askForm(
  terminal: Terminal,
  { server, params }: { readonly server: string; readonly params: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  const said = typeof params['message'] === 'string' ? params['message'] : '';
  terminal.tell(`${printable(server, 200)} asks: ${quoted(said, 500)}`);
  const entries: (readonly [string, JsonValue | undefined])[] = [];
  for (const [name, schema] of fieldsOf(params)) {
    const typed = await terminal.ask(promptFor(name, schema), { hidden: false, signal });
    if (typed === undefined) return { action: 'cancel' };
    entries.push([name, typed === '' ? schema['default'] : convert(typed, schema)]);
  }
  const isSent = await saysYes(terminal, 'Send these answers to the server?', signal);
  return isSent ? { action: 'accept', content: given(entries) } : { action: 'decline' };
}

function fieldsOf(params: JsonObject): readonly (readonly [string, JsonObject])[] {
  const properties = asObject(asObject(params['requestedSchema'])?.['properties']) ?? {};
  return Object.entries(properties).map(([name, schema]) => [name, asObject(schema) ?? {}] as const);
}

function promptFor(name: string, schema: JsonObject): string {
  const type = typeof schema['type'] === 'string' ? schema['type'] : 'text';
  const choices = Array.isArray(schema['enum']) ? ` one of ${schema['enum'].map(String).join(', ')}` : '';
  const preset = schema['default'] === undefined ? '' : ` [${String(schema['default'])}]`;
  return `  ${printable(`${name} (${type}${choices})${preset}`, 200)}: `;
}

/** What was typed, as the schema's type wants it; as text if it does not fit: the server will refuse it. */
function convert(typed: string, { type }: JsonObject): JsonValue {
  if (type === 'boolean') return ['y', 'yes', 'true', '1'].includes(typed.trim().toLowerCase());
  return (type === 'number' || type === 'integer' ? valueAs('number', typed) : undefined) ?? typed;
}

function given(entries: readonly (readonly [string, JsonValue | undefined])[]): JsonObject {
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

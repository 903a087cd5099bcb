import type { OptionSpec } from '../../core/command.js';
import { exitCode, Failure } from '../../core/failure.js';
import { closest } from '../../core/text/closest.js';
import type { JsonObject, JsonValue } from '../../core/text/json.js';
import { asObject } from '../../core/text/json.js';
import { quoted } from '../../core/text/printable.js';
import { readPages } from '../server-session.js';

/** Which tools a login is lent for; `*` stands for any characters. */
function named<Name extends string>(name: Name, describe: string) {
  return { name, group: 'Allowed tools', kind: 'list', value: 'NAME', describe } as const;
}

/** For commands that lend a login to a program. */
export const toolOptions = [
  named('allow-tool', 'allow only these tools (*: any characters); repeatable'),
  named('deny-tool', 'deny these tools, whatever is allowed; repeatable'),
  { name: 'read-only', group: 'Allowed tools', kind: 'boolean', describe: 'allow only tools marked readOnlyHint' },
] as const satisfies readonly OptionSpec[];

export interface ToolRules {
  /** None: all that are not denied. */
  readonly allowTool: readonly string[];
  readonly denyTool: readonly string[];
  readonly readOnly: boolean;
}

/** One page of the list of tools, by the parameters of the request; undefined where none came. Its tools are learned. */
export type ToolPage = (params: JsonObject) => Promise<JsonObject | undefined>;

export type ToolVerdict = 'passed' | 'refused' | 'unknown';

/** Names remembered of one server; a list that is longer is not believed any more, and its other tools stay unknown. */
const maxTools = 10_000;

/** In characters. The protocol allows 128; a longer text costs time and memory, and is no tool's name. */
const longestName = 1_024;

/** How long an unknown tool stays unknown before the server is asked for its list again, in milliseconds. */
const askAgainMs = 5_000;

/** Decides which tools pass, by their names and by what the server itself says of them. One for each server. */
export class ToolPolicy {
  readonly #allowed: readonly Matcher[];
  readonly #denied: readonly Matcher[];
  readonly #readOnly: boolean;
  /** Of the tools that the server has listed: is it marked read-only? */
  readonly #marks = new Map<string, boolean>();
  /** Until the server has listed its tools once. */
  #toFit: readonly (Pick<IdleRule, 'option' | 'name'> & { readonly fits: Matcher })[];
  readonly #warn: (rule: IdleRule) => void;
  #asking: Promise<void> | undefined;
  /** Why its last list was not read to its end. */
  #cut: string | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** @param warn Called for each rule that fits none of the tools, when the server has listed them for the first time. */
  constructor({ allowTool, denyTool, readOnly }: ToolRules, warn: (rule: IdleRule) => void) {
    this.#allowed = allowTool.map((glob) => matcherOf(glob));
    // Some servers find their tools whatever the letter case.
    this.#denied = denyTool.map((glob) => matcherOf(folded(glob)));
    this.#readOnly = readOnly;
    this.#warn = warn;
    this.#toFit = [
      ...allowTool.map((name, at) => ({ option: '--allow-tool' as const, name, fits: this.#allowed[at] ?? never })),
      ...denyTool.map((name, at) => {
        const fits = this.#denied[at] ?? never;
        return { option: '--deny-tool' as const, name, fits: (tool: string) => fits(folded(tool)) };
      }),
    ];
  }

  /** `unknown`: it depends on what the server says of it, and it has not. */
  verdict(tool: string): ToolVerdict {
    // Some readers end a text at a control character, or leave out what is no character.
    if (tool.length > longestName || /[\p{Cc}\p{Cs}]/u.test(tool)) return 'refused';
    const isAllowed = this.#allowed.length === 0 || this.#allowed.some((matches) => matches(tool));
    if (!isAllowed || this.#denied.some((matches) => matches(folded(tool)))) return 'refused';
    if (!this.#readOnly) return 'passed';
    const mark = this.#marks.get(tool);
    return mark === undefined ? 'unknown' : mark ? 'passed' : 'refused';
  }

  /**
   * Takes what the server says of its tools, in a result of `tools/list`. One that is listed twice is what the worse says.
   * @param isLast Does the list end here?
   */
  learn(tools: readonly JsonValue[], isLast: boolean): void {
    const page = new Map<string, boolean>();
    for (const tool of tools) {
      const object = asObject(tool);
      const name = object?.['name'];
      if (object === undefined || typeof name !== 'string' || name.length > longestName) continue;
      page.set(name, isMarked(object) && page.get(name) !== false);
    }
    for (const [name, mark] of page) {
      if (this.#marks.size < maxTools || this.#marks.has(name)) this.#marks.set(name, mark);
    }
    // A server that lists nothing yet may do so later; of a longer list than is remembered nothing is said.
    if (isLast && this.#marks.size > 0) this.#warnOfIdle([...this.#marks.keys()]);
  }

  #warnOfIdle(tools: readonly string[]): void {
    const idle = tools.length < maxTools ? this.#toFit.filter(({ fits }) => !tools.some(fits)) : [];
    this.#toFit = [];
    for (const { option, name } of idle) {
      this.#warn({ option, name, count: tools.length, meant: name.includes('*') ? undefined : closest(name, tools) });
    }
  }

  /** Why nothing is known of a tool. */
  get whyUnknown(): string {
    return this.#cut === undefined
      ? 'the server’s list of tools has it not, or could not be had, so that nothing says that it only reads'
      : `the server’s list of tools was not read to its end, as ${this.#cut}, so that nothing says that it only reads`;
  }

  /** What the server said of its tools holds no more. */
  forget(): void {
    this.#marks.clear();
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Asks the server for its list, once for all that wait, and not more often than every five seconds.
   * @param meta What the caller's request says of itself. @param now monotonic
   */
  async ask(page: ToolPage, meta: JsonObject | undefined, now: number): Promise<void> {
    if (this.#asking === undefined && now - this.#askedAt >= askAgainMs) {
      this.#askedAt = now;
      const { progressToken: _, ...others } = meta ?? {};
      const read = async () => {
        const cut = await readPages((at) => page({ ...at, ...(meta === undefined ? {} : { _meta: others }) }));
        this.#cut = cut?.why;
      };
      this.#asking = read().finally(() => {
        this.#asking = undefined;
      });
    }
    await this.#asking;
  }
}

/**
 * Is any tool to be kept back? What looks like several names, or a pattern of another kind, would deny nothing unseen.
 * @throws Failure `tool_name_unusable`
 */
export function hasToolRules({ allowTool, denyTool, readOnly }: ToolRules): boolean {
  for (const [option, names] of Object.entries({ '--allow-tool': allowTool, '--deny-tool': denyTool })) {
    const wrong = names.find((name) => name === '' || /[\s,;?|^$\\[\](){}"'<>]/.test(name));
    if (wrong === undefined) continue;
    throw new Failure({
      code: 'tool_name_unusable',
      exit: exitCode.usage,
      message: `${quoted(wrong, 200)} behind ${option} is no tool’s name.`,
      remedy: `Give the option once for each name, as in ${option} read_note ${option} 'list_*'; * stands for any characters, and for those that cannot be typed here.`,
    });
  }
  return readOnly || allowTool.length > 0 || denyTool.length > 0;
}

function isMarked(tool: JsonObject): boolean {
  return asObject(tool['annotations'])?.['readOnlyHint'] === true;
}

type Matcher = (text: string) => boolean;

const never: Matcher = () => false;

/** In linear time, whatever the name. */
function matcherOf(glob: string): Matcher {
  const [first = '', ...others] = glob.split(/\*+/);
  const last = others.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    let at = text.startsWith(first) ? first.length : -1;
    for (const part of others) {
      const found = at === -1 ? -1 : text.indexOf(part, at);
      at = found === -1 ? -1 : found + part.length;
    }
    return at !== -1 && at <= text.length - last.length && text.endsWith(last);
  };
}

/** As the most lenient reader compares names: without accents, and without what is drawn as nothing. */
export function folded(text: string): string {
  const bare = text.normalize('NFKD').replace(/[\u0300-\u036f\p{Default_Ignorable_Code_Point}]/gu, '');
  return bare.trim().toUpperCase().toLowerCase();
}

/** A name of `--allow-tool` or `--deny-tool` that fits no tool of the server's: a slip, perhaps. */
export interface IdleRule {
  readonly option: '--allow-tool' | '--deny-tool';
  readonly name: string;
  /** How many tools the server lists. */
  readonly count: number;
  /** The tool that was meant, perhaps. */
  readonly meant: string | undefined;
}

/** One line for a person. */
function idleRuleLine({ option, name, count, meant }: IdleRule): string {
  const tools = count === 1 ? 'the one tool' : `any of the ${count} tools`;
  const hint = meant === undefined ? '' : ` Did you mean ${quoted(meant, 80)}?`;
  return `${option} ${quoted(name, 80)} does not fit ${tools} that the server lists.${hint}`;
}

/**
 * Prints what is idle, a line for each. A rule is for all servers together: it is idle where it fits no tool of any.
 * @param servers How many there are.
 */
export function idleRulePrinter(servers: number, tell: (line: string) => void): (rule: IdleRule) => void {
  const idle = new Map<string, readonly IdleRule[]>();
  return (rule) => {
    const key = `${rule.option} ${rule.name}`;
    const all = [...(idle.get(key) ?? []), rule];
    idle.set(key, all);
    if (all.length < servers) return;
    const count = all.reduce((sum, one) => sum + one.count, 0);
    tell(idleRuleLine({ ...rule, count, meant: all.find(({ meant }) => meant !== undefined)?.meant }));
  };
}

import type { OptionSpec } from '../../core/command.js';
import type { JsonObject, JsonValue } from '../../core/text/json.js';
import { asObject } from '../../core/text/json.js';

/** Which tools a login is lent for; `*` stands for any characters. */
function named<Name extends string>(name: Name, describe: string) {
  return { name, kind: 'list', value: 'NAME', describe } as const;
}

/** For commands that lend a login to a program. */
export const toolOptions = [
  named('allow-tool', 'pass calls of these tools only (* for any characters); again for more'),
  named('deny-tool', 'pass no call of these tools, whatever else is allowed; again for more'),
  { name: 'read-only', kind: 'boolean', describe: 'pass calls of tools only that the server marks readOnlyHint' },
] as const satisfies readonly OptionSpec[];

export const toolNote =
  'With --allow-tool, --deny-tool and --read-only, tools that are not lent are left out of the server’s lists, and a call of one is answered here with error -32013. --read-only goes by the annotations that the server itself gives, and asks it for its list where a tool is not known yet. Messages that could be read in two ways are refused.';

export interface ToolRules {
  /** None: all that are not denied. */
  readonly allowTool: readonly string[];
  readonly denyTool: readonly string[];
  readonly readOnly: boolean;
}

export type ToolVerdict = 'passed' | 'refused' | 'unknown';

/** Names remembered of one server; a list that is longer is not believed any more, and its other tools stay unknown. */
const maxTools = 10_000;

/** How long an unknown tool stays unknown before the server is asked for its list again, in milliseconds. */
const askAgainMs = 5_000;

/** Decides which tools pass, by their names and by what the server itself says of them. One for each server. */
export class ToolPolicy {
  readonly #allowed: readonly RegExp[];
  readonly #denied: readonly RegExp[];
  readonly #readOnly: boolean;
  /** Of the tools that the server has listed: is it marked read-only? */
  readonly #marks = new Map<string, boolean>();
  #asking: Promise<void> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor({ allowTool, denyTool, readOnly }: ToolRules) {
    this.#allowed = allowTool.map((glob) => matcherOf(glob));
    // Some servers find their tools whatever the letter case.
    this.#denied = denyTool.map((glob) => matcherOf(folded(glob)));
    this.#readOnly = readOnly;
  }

  /** `unknown`: it depends on what the server says of it, and it has not. */
  verdict(tool: string): ToolVerdict {
    const isAllowed = this.#allowed.length === 0 || this.#allowed.some((glob) => glob.test(tool));
    if (!isAllowed || this.#denied.some((glob) => glob.test(folded(tool)))) return 'refused';
    if (!this.#readOnly) return 'passed';
    const mark = this.#marks.get(tool);
    return mark === undefined ? 'unknown' : mark ? 'passed' : 'refused';
  }

  /** Takes what the server says of its tools, in a result of `tools/list`. One that is listed twice is what the worse says. */
  learn(tools: readonly JsonValue[]): void {
    const page = new Map<string, boolean>();
    for (const tool of tools) {
      const object = asObject(tool);
      const name = object?.['name'];
      if (object === undefined || typeof name !== 'string') continue;
      page.set(name, isMarked(object) && page.get(name) !== false);
    }
    for (const [name, mark] of page) {
      if (this.#marks.size < maxTools || this.#marks.has(name)) this.#marks.set(name, mark);
    }
  }

  /** What the server said of its tools holds no more. */
  forget(): void {
    this.#marks.clear();
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  /** Has the server asked for its list, once for all that wait, and not more often than every five seconds. @param now monotonic */
  async ask(list: () => Promise<void>, now: number): Promise<void> {
    if (this.#asking === undefined && now - this.#askedAt >= askAgainMs) {
      this.#askedAt = now;
      this.#asking = list().finally(() => {
        this.#asking = undefined;
      });
    }
    await this.#asking;
  }
}

/** Is any tool to be kept back? */
export function hasToolRules({ allowTool, denyTool, readOnly }: ToolRules): boolean {
  return readOnly || allowTool.length > 0 || denyTool.length > 0;
}

function isMarked(tool: JsonObject): boolean {
  return asObject(tool['annotations'])?.['readOnlyHint'] === true;
}

function matcherOf(glob: string): RegExp {
  const parts = glob.split(/\*+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^]*?')}$`);
}

/** As the most lenient reader compares names. */
export function folded(text: string): string {
  return text.normalize('NFKC').trim().toUpperCase().toLowerCase();
}

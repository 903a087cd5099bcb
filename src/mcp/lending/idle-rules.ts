import { quoted } from '../../core/text/printable.js';

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
